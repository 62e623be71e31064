import { expect } from 'chai';
import { planOf } from '../../../src/core/guilds/guild-service.js';
import { reconcileBilling } from '../../../src/features/billing/billing-reconcile.js';
import { buildGuild } from '../../support/build.js';
import { linesOf } from '../../support/logged-lines.js';
import { world } from '../../support/world.js';
import { buy, sellPlans } from './billing-setup.js';

const notUnderstood = 'Stripe answered in an undocumented format';

describe('Unreadable answers of Stripe', () => {
  sellPlans();
  const without = (field: string) => (body: unknown) => ({ ...Object(body), [field]: undefined });

  it('The checkout sells nothing and answers 503 when Stripe’s answer cannot be read', async () => {
    const { stripe } = await world();
    const guild = await buildGuild();
    stripe.inject({ match: /^POST .*\/checkout\/sessions$/, reshape: without('id') });
    const lines = await linesOf(async () => {
      const { status, body } = await guild.api.post(`${guild.path}/billing/checkout`, { plan: 'pro' });
      expect({ status, code: body.code }).to.deep.equal({ status: 503, code: 'billing_provider_unavailable' });
    });
    expect(lines.map(({ msg }) => msg))
      .to.include(notUnderstood)
      .and.not.include('request failed');
  });

  it('The reconciliation takes no plan away when Stripe’s answer cannot be read', async () => {
    const { stripe } = await world();
    const guild = await buildGuild();
    await buy(guild, 'pro');
    stripe.inject({ match: /^GET .*\/subscriptions\//, reshape: without('items') });
    const inADay = new Date(Date.now() + 25 * 60 * 60_000);
    const lines = await linesOf(() => reconcileBilling(inADay, new AbortController().signal));
    expect(lines.map(({ msg }) => msg)).to.include(notUnderstood);
    expect(await planOf(guild.guildId)).to.equal('pro');
  });
});
