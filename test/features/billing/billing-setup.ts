import { expect } from 'chai';
import { config, useConfig } from '../../../src/config/config.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { planOf } from '../../../src/core/guilds/guild-service.js';
import { type BillingRecord, BillingRecords } from '../../../src/features/billing/billing-record.js';
import type { PaidPlan } from '../../../src/features/billing/checkout-service.js';
import type { SandboxSubscription } from '../../sandbox/stripe/stripe-objects.js';
import { emptyOutboxes } from '../../support/background.js';
import { eventually, type TestGuild } from '../../support/build.js';
import { world } from '../../support/world.js';

/** Registers hooks: new guilds have the plan free, as where plans are sold, and Stripe is well again after each test. */
export function sellPlans(): void {
  let usual: ReturnType<typeof config>;
  before(() => {
    usual = config();
    useConfig({ ...usual, defaultPlan: 'free' });
  });
  afterEach(async () => {
    const { stripe } = await world();
    stripe.clearFaults();
    stripe.events.release();
  });
  after(() => useConfig(usual));
}

/** Begins a checkout; gives its page's address. */
export async function beginCheckout({ api, path }: TestGuild, plan: PaidPlan): Promise<string> {
  const { status, body, headers } = await api.post(`${path}/billing/checkout`, { plan });
  expect(status, JSON.stringify(body)).to.equal(201);
  expect(headers.get('location')).to.equal(body.url);
  return body.url;
}

/** Buys a plan and waits until it is in force. */
export async function buy(guild: TestGuild, plan: PaidPlan): Promise<SandboxSubscription> {
  const { stripe } = await world();
  const subscription = stripe.pay(await beginCheckout(guild, plan));
  await planBecomes(guild, plan);
  // The last of the three events may still be under way.
  const told = stripe.events.all.filter(({ body }) => body.includes(subscription.id));
  await eventually(() => told.every(({ answers }) => answers.at(-1) === 200), 'taken events');
  return subscription;
}

export async function planBecomes({ guildId }: TestGuild, plan: string): Promise<void> {
  await eventually(async () => (await planOf(guildId)) === plan, `the plan ${plan}`);
}

export async function recordOf({ guildId }: { guildId: string }): Promise<BillingRecord> {
  const record = await BillingRecords.findOne({ guildId });
  if (record === null) throw new Error('There is no billing record.');
  return record;
}

/** The billing entries in a guild's log, oldest first, once it has all: action, actor, and change. */
export async function billingLog({ guildId }: { guildId: string }) {
  // The write that makes a change stores its entry, which comes into the log after that.
  await emptyOutboxes();
  const entries = (await latestEntries(guildId, 100)).reverse();
  return entries
    .filter(({ action }) => action.startsWith('billing.'))
    .map(({ action, actor, changes = {} }) => ({ action, by: actor.kind, changes }));
}
