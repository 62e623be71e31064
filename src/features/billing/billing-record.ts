import { z } from 'zod';
import { planName } from '../../core/plans/plans.js';
import { dayMs, hourMs } from '../../lib/time.js';
import { declareDueTime } from '../../platforms/database/due-times.js';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';
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

/** A guild's data at Stripe. Read and written under the guild's billing lease (`withBillingLease`). */
const billingRecordFields = z.strictObject({
  guildId: z.string(),
  customerId: z.string().nullable(),
  /** Usually one. Two simultaneous checkouts make two, and ended ones are kept. */
  subscriptions: z.array(storedSubscription),
  /** The latest checkout, until it becomes a subscription or expires. */
  checkout: z.strictObject({ sessionId: z.string(), plan: planName }).nullable(),
  /** Part of idempotency keys: after any answer, the next try gets another key. */
  attempt: z.number(),
  lastSyncedAt: z.date().nullable(),
  /** When to read from Stripe without an event; null: never. */
  nextSyncAt: z.date().nullable(),
  /** The lease's fence when it was last written: an older reading can't overwrite a newer one. */
  fence: z.number(),
});
export interface BillingRecord extends z.output<typeof billingRecordFields>, WithOutbox {}

const schema = schemaOf<BillingRecord>('billing', billingRecordFields);
// The one for a guild.
schema.index({ guildId: 1 }, { unique: true });
// A customer's guild in an event.
schema.index({ customerId: 1 });
// The records to read again: the job reconcile-billing.
schema.index({ nextSyncAt: 1 });

giveOutbox(schema);

export const BillingRecords = new GuildModel<BillingRecord>('BillingRecord', schema);
declareDueTime({ model: BillingRecords.acrossGuilds, field: 'nextSyncAt', hint: { nextSyncAt: 1 }, longestMs: dayMs });

/** A guild's data at Stripe; null if it never had any. */
export function findBilling(guildId: string): Promise<BillingRecord | null> {
  return BillingRecords.findOne({ guildId });
}

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
 * When to compare a record with Stripe without an event: soon after a checkout began or a period ended, otherwise once
 * a day. Null when nothing could change. Pure.
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
