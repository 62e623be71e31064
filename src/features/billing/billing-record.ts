import { Schema } from 'mongoose';
import type { PlanName } from '../../core/plans/plans.js';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { isOver } from './plan-in-force.js';
import type { SubscriptionStatus } from './provider-subscription.js';

/** A subscription as it was when it was last read from Stripe. */
export interface StoredSubscription {
  subscriptionId: string;
  status: SubscriptionStatus;
  plan: PlanName;
  currentPeriodEnd: Date;
  cancelAtPeriodEnd: boolean;
}

/** What a guild has at Stripe. Read and written under the guild's billing lease (`withBillingLease`). */
export interface BillingRecord {
  guildId: string;
  customerId: string | null;
  /** One, as a rule; two where two checkouts were paid at once, and those that are over. */
  subscriptions: StoredSubscription[];
  /** The checkout that was begun last, until it has become a subscription or expired. */
  checkout: { sessionId: string; plan: PlanName } | null;
  /** Part of idempotency keys: a try that was answered, in whatever way, is followed by one with another key. */
  attempt: number;
  lastSyncedAt: Date | null;
  /** When to look at Stripe although it did not call; null: there is nothing to look for. */
  nextSyncAt: Date | null;
  /** Of the lease by which it was last written: an older reading cannot overwrite a newer one. */
  fence: number;
}

const subscription = new Schema<StoredSubscription>(
  {
    subscriptionId: { type: String, required: true },
    status: { type: String, required: true },
    plan: { type: String, required: true },
    currentPeriodEnd: { type: Date, required: true },
    cancelAtPeriodEnd: { type: Boolean, required: true },
  },
  { _id: false },
);

const schema = new Schema<BillingRecord>(
  {
    guildId: { type: String, required: true },
    customerId: { type: String, default: null },
    subscriptions: { type: [subscription], required: true },
    checkout: { type: new Schema({ sessionId: String, plan: String }, { _id: false }), default: null },
    attempt: { type: Number, required: true },
    lastSyncedAt: { type: Date, default: null },
    nextSyncAt: { type: Date, default: null },
    fence: { type: Number, required: true },
  },
  { collection: 'billing', versionKey: false },
);
// The one of a guild.
schema.index({ guildId: 1 }, { unique: true });
// The guild of a customer whom an event names.
schema.index({ customerId: 1 });
// Those to look at: the job reconcile-billing.
schema.index({ nextSyncAt: 1 });

export const BillingRecords = new GuildModel<BillingRecord>('BillingRecord', schema);

/** What a guild has at Stripe; null when it never had anything to do with it. */
export function findBilling(guildId: string): Promise<BillingRecord | null> {
  return BillingRecords.findOne({ guildId });
}

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

const hourMs = 60 * 60_000;

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
    ...(living.length === 0 ? [] : [now.getTime() + 24 * hourMs]),
    ...ends.filter((end) => end > now.getTime()),
  ];
  return times.length === 0 ? null : new Date(Math.min(...times));
}
