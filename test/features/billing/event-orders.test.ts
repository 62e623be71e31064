import { expect } from 'chai';
import PQueue from 'p-queue';
import { keepGuild, planOf } from '../../../src/core/guilds/guild-service.js';
import { applyEvent, readEvent } from '../../../src/features/billing/billing-events.js';
import type { SandboxEvent } from '../../sandbox/stripe/stripe-events.js';
import { world } from '../../support/world.js';
import { billingLog, recordOf, sellPlans } from './billing-setup.js';

const orders = 60;

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Every event, some twice, in a random order. */
function shuffledWithDuplicates(events: readonly SandboxEvent[], random: () => number): SandboxEvent[] {
  const often = events.flatMap((event) => Array<SandboxEvent>(1 + Math.floor(random() * 1.3)).fill(event));
  return often
    .map((event) => ({ event, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ event }) => event);
}

// PLAN-11
describe('The order of Stripe’s events', () => {
  sellPlans();

  it(`Stripe’s events lead to the same state in ${orders} orders, with any repetitions`, async () => {
    const { stripe } = await world();
    stripe.events.hold();
    const atOnce = new PQueue({ concurrency: 20 });
    await atOnce.addAll(Array.from({ length: orders }, (_, order) => () => tellInOrder(order)));
  });

  /** Plays a guild's whole history at Stripe, and delivers its events at random times in a random order. */
  async function tellInOrder(order: number): Promise<void> {
    const { stripe } = await world();
    const random = randomNumbers(order);
    const guildId = String(700_000_000_000_000_000n + BigInt(order));
    await keepGuild({ _id: guildId, name: 'Told', iconUrl: null, ownerId: '1', memberCount: 1 });
    const events = () => stripe.events.all.filter(({ body }) => body.includes(guildId));
    const tell = async (some: SandboxEvent[]) => {
      for (const event of shuffledWithDuplicates(some, random)) {
        await applyEvent(readEvent(Buffer.from(event.body), stripe.events.sign(event.body)));
      }
    };

    const { id } = stripe.buy({ priceId: stripe.prices.pro.id, metadata: { guildId } });
    // Some events come before the rest has happened, and all afterwards.
    await tell(events().filter(() => random() < 0.25));
    stripe.act(id, 'change', stripe.prices.enterprise.id);
    const ends = random() < 0.5;
    stripe.act(id, ends ? 'end' : 'fail');
    await tell(events());

    const plan = ends ? 'free' : 'enterprise';
    expect(await planOf(guildId), `order ${order}`).to.equal(plan);
    expect((await recordOf({ guildId })).subscriptions.map(({ currentPeriodEnd, ...rest }) => rest)).to.deep.equal([
      { subscriptionId: id, status: ends ? 'canceled' : 'past_due', plan: 'enterprise', cancelAtPeriodEnd: false },
    ]);
    // Every change is written down once: they lead from plan to plan without a gap.
    const log = (await billingLog({ guildId })).filter(({ action }) => action === 'billing.plan_changed');
    const path = log.map(({ changes }) => changes.plan);
    expect([...path.map((change) => change?.from), plan]).to.deep.equal(['free', ...path.map((change) => change?.to)]);
  }
});
