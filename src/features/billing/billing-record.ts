import { z } from 'zod';
import { planName } from '../../core/plans/plans.js';
import { dayMs, hourMs } from '../../lib/time.js';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { isOver } from './plan-in-force.js';
import { subscriptionStatus } from './provider-subscription.js';

/** A subscription as it was when it was last read from Stripe. */
const storedSubscription = z.strictObject({
  subscriptionId: z.string(),
  status: subscriptionStatus,
  plan: planName,
  currentPeriodEnd: z.date(),
  cancelAtPeriodEnd: z.boolean(),
});
export type StoredSubscription = z.output<typeof storedSubscription>;

/** What a guild has at Stripe. Read and written under the guild's billing lease (`withBillingLease`). */
const billingRecordFields = z.strictObject({
  guildId: z.string(),
  customerId: z.string().nullable(),
  /** One, as a rule; two where two checkouts were paid at once, and those that are over. */
  subscriptions: z.array(storedSubscription),
  /** The checkout that was begun last, until it has become a subscription or expired. */
  checkout: z.strictObject({ sessionId: z.string(), plan: planName }).nullable(),
  /** Part of idempotency keys: a try that was answered, in whatever way, is followed by one with another key. */
  attempt: z.number(),
  lastSyncedAt: z.date().nullable(),
  /** When to look at Stripe although it did not call; null: there is nothing to look for. */
  nextSyncAt: z.date().nullable(),
  /** Of the lease by which it was last written: an older reading cannot overwrite a newer one. */
  fence: z.number(),
});
export type BillingRecord = z.output<typeof billingRecordFields>;

const schema = schemaOf('billing', billingRecordFields);
// The one of a guild.
schema.index({ guildId: 1 }, { unique: true });
// The guild of a customer whom an event names.
schema.index({ customerId: 1 });
// Those to look at: the job reconcile-billing.
schema.index({ nextSyncAt: 1 });

export const BillingRecords = new GuildModel<BillingRecord>('BillingRecord', schema);

/** What a guild has that never had anything to do with Stripe. */
export const noBilling: Omit<BillingRecord, 'guildId'> = {
  customerId: null,
  subscriptions: [],
  checkout: null,
  attempt: 0,
  lastSyncedAt: null,
  nextSyncAt: null,
  fence: 0,
};

/**
 * When a record has to be compared with Stripe again, should no event come: soon after a checkout was begun or a period
 * has ended, else once a day. Null when there is nothing that could change. Pure.
 */
export function nextSyncAfter(
  now: Date,
  { subscriptions, checkout }: Pick<BillingRecord, 'subscriptions' | 'checkout'>,
): Date | null {
  const living = subscriptions.filter((each) => !isOver(each));
  const ends = living.map(({ currentPeriodEnd }) => currentPeriodEnd.getTime() + hourMs);
  const times = [
    ...(checkout === null ? [] : [now.getTime() + hourMs]),
    ...(living.length === 0 ? [] : [now.getTime() + dayMs]),
    ...ends.filter((end) => end > now.getTime()),
  ];
  return times.length === 0 ? null : new Date(Math.min(...times));
}
