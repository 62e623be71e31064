import { expect } from 'chai';
import { planOf } from '../../../src/core/guilds/guild-service.js';
import { reconcileBilling } from '../../../src/features/billing/billing-reconcile.js';
import { nextSyncAfter } from '../../../src/features/billing/billing-record.js';
import { buildGuild } from '../../support/build.js';
import { world } from '../../support/world.js';
import { beginCheckout, billingLog, buy, recordOf, sellPlans } from './billing-setup.js';

const hour = 60 * 60_000;
const inHours = (hours: number) => new Date(Date.now() + hours * hour);
const reconcile = (now: Date) => reconcileBilling(now, new AbortController().signal);

describe('Reconciling billing with Stripe', () => {
  sellPlans();

  it('The reconciliation finds a payment without an event', async () => {
    const { stripe } = await world();
    const guild = await buildGuild();
    stripe.events.hold();
    stripe.pay(await beginCheckout(guild, 'pro'));
    await reconcile(new Date());
    expect(await planOf(guild.guildId)).to.equal('free');
    await reconcile(inHours(1.1));
    expect(await planOf(guild.guildId)).to.equal('pro');
    expect(await recordOf(guild)).to.deep.include({ checkout: null });
    expect((await billingLog(guild)).at(-1)).to.deep.include({ action: 'billing.plan_changed', by: 'provider' });
  });

  it('The reconciliation finds the end of a subscription without an event within a day', async () => {
    const { stripe } = await world();
    const guild = await buildGuild();
    const { id } = await buy(guild, 'pro');
    await reconcile(inHours(2));
    expect(await recordOf(guild)).to.deep.include({ checkout: null });
    stripe.events.hold();
    stripe.act(id, 'end');
    await reconcile(inHours(20));
    expect(await planOf(guild.guildId)).to.equal('pro');
    await reconcile(inHours(25));
    expect(await planOf(guild.guildId)).to.equal('free');
    expect((await recordOf(guild)).nextSyncAt).to.equal(null);
  });

  it('The reconciliation forgets an unpaid checkout, and retries while Stripe fails', async () => {
    const { stripe } = await world();
    const guild = await buildGuild();
    stripe.expireCheckout(await beginCheckout(guild, 'pro'));
    const restore = stripe.inject({ match: /^GET .*\/checkout\/sessions\//, status: 500 });
    await reconcile(inHours(2));
    expect((await recordOf(guild)).checkout).not.to.equal(null);
    restore();
    await reconcile(inHours(2));
    expect(await recordOf(guild)).to.deep.include({ checkout: null, nextSyncAt: null, subscriptions: [] });
    expect(await planOf(guild.guildId)).to.equal('free');
  });

  it('The reconciliation reads a guild once a day, and soon after a period or a checkout', () => {
    const now = new Date('2026-11-21T12:00:00Z');
    const hoursOn = (hours: number) => new Date(now.getTime() + hours * hour);
    const living = (currentPeriodEnd: Date) =>
      ({ subscriptionId: 'sub_1', status: 'active', plan: 'pro', currentPeriodEnd, cancelAtPeriodEnd: false }) as const;
    const over = { ...living(hoursOn(1)), status: 'canceled' } as const;
    const checkout = { sessionId: 'cs_1', plan: 'pro' } as const;
    const cases = [
      [{ subscriptions: [], checkout: null }, null],
      [{ subscriptions: [over], checkout: null }, null],
      [{ subscriptions: [living(hoursOn(700))], checkout: null }, hoursOn(24)],
      [{ subscriptions: [living(hoursOn(3)), over], checkout: null }, hoursOn(4)],
      [{ subscriptions: [living(hoursOn(-5))], checkout: null }, hoursOn(24)],
      [{ subscriptions: [living(hoursOn(3))], checkout }, hoursOn(1)],
    ] as const;
    for (const [{ subscriptions, checkout: begun }, expected] of cases) {
      expect(nextSyncAfter(now, { subscriptions: [...subscriptions], checkout: begun })).to.deep.equal(expected);
    }
  });
});
