import { expect } from 'chai';
import { config, useConfig } from '../../../src/config/config.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { planOf } from '../../../src/core/guilds/guild-service.js';
import { applyStoredPlans } from '../../../src/features/billing/billing-reconcile.js';
import { asPerson } from '../../support/api.js';
import { buildGuild, type TestGuild } from '../../support/build.js';
import { platformAdminId, world } from '../../support/world.js';
import { billingLog, buy, planBecomes, sellPlans } from './billing-setup.js';

/** The plan in the database itself, without a read's additions. */
async function storedPlan({ guildId }: TestGuild): Promise<unknown> {
  return (await GuildRecord.collection.findOne({ _id: guildId } as object))?.plan;
}

const sellAt = (defaultPlan: 'free' | 'pro' | 'enterprise') => useConfig({ ...config(), defaultPlan });

/** PLAN-9: a plan is stored only while a subscription pays for it. */
describe('The default plan', () => {
  sellPlans();
  afterEach(() => sellAt('free'));

  it('Guilds without a subscription have the present DEFAULT_PLAN, old ones too, wherever the plan is shown', async () => {
    const guild = await buildGuild();
    const admin = await asPerson({ chatUserId: platformAdminId, username: 'root' });
    const told = async () => [
      (await guild.api.get(guild.path)).body.plan,
      (await guild.api.get(`${guild.path}/billing`)).body.plan,
      await planOf(guild.guildId),
    ];
    const listed = async (plan: string) =>
      (await admin.get(`/api/admin/guilds?q=${guild.guildId}&plan=${plan}`)).body.data.map(
        ({ plan }: { plan: string }) => plan,
      );
    for (const plan of ['free', 'pro', 'enterprise'] as const) {
      sellAt(plan);
      expect(await told()).to.deep.equal([plan, plan, plan]);
      expect(await listed(plan)).to.deep.equal([plan]);
      expect(await listed(plan === 'free' ? 'pro' : 'free')).to.deep.equal([]);
    }
    expect(await storedPlan(guild)).to.equal(undefined);
  });

  it('A paid plan takes the place of DEFAULT_PLAN, which comes back when the subscription ends', async () => {
    const { stripe } = await world();
    const guild = await buildGuild();
    const { id } = await buy(guild, 'pro');
    expect(await storedPlan(guild)).to.equal('pro');
    stripe.act(id, 'end');
    await planBecomes(guild, 'free');
    expect(await storedPlan(guild)).to.equal(undefined);
    const plans = (await billingLog(guild)).filter(({ action }) => action === 'billing.plan_changed');
    expect(plans.map(({ changes }) => changes.plan)).to.deep.equal([
      { from: 'free', to: 'pro' },
      { from: 'pro', to: 'free' },
    ]);
  });

  it('A boot that changes DEFAULT_PLAN forgets plans that older versions stored, and keeps those that are paid', async () => {
    const [frozen, paid, low] = [await buildGuild(), await buildGuild(), await buildGuild()];
    await GuildRecord.updateOne({ _id: frozen.guildId }, { $set: { plan: 'enterprise' } });
    await buy(paid, 'enterprise');
    await buy(low, 'pro');
    await applyStoredPlans();
    expect(await Promise.all([frozen, paid, low].map(storedPlan))).to.deep.equal([undefined, 'enterprise', 'pro']);
    sellAt('enterprise');
    await applyStoredPlans();
    expect(await planOf(low.guildId)).to.equal('enterprise');
    sellAt('free');
    await applyStoredPlans();
    expect(await planOf(low.guildId)).to.equal('pro');
  });
});
