import { Schema } from 'mongoose';
import type { PlanName } from '../../core/plans/plans.js';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { isOver } from './plan-in-force.js';
import type { SubscriptionStatus } from './provider-subscription.js';

/** A subscription as last read from Stripe. */
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
  /** Usually one; two when two checkouts were paid at once; and those that are over. */
  subscriptions: StoredSubscription[];
  /** The latest checkout, until it becomes a subscription or expires. */
  checkout: { sessionId: string; plan: PlanName } | null;
  /** Part of idempotency keys: after an answer of any kind, the next try gets another key. */
  attempt: number;
  lastSyncedAt: Date | null;
  /** When to read from Stripe without an event; null: never. */
  nextSyncAt: Date | null;
  /** The fence of the lease it was last written under: an older reading can't overwrite a newer one. */
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
// The record of a guild.
schema.index({ guildId: 1 }, { unique: true });
// The guild of a customer in an event.
schema.index({ customerId: 1 });
// The records to read again: the job reconcile-billing.
schema.index({ nextSyncAt: 1 });

export const BillingRecords = new GuildModel<BillingRecord>('BillingRecord', schema);

/** The record of a guild that never used Stripe. */
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
    ...(living.length === 0 ? [] : [now.getTime() + 24 * hourMs]),
    ...ends.filter((end) => end > now.getTime()),
  ];
  return times.length === 0 ? null : new Date(Math.min(...times));
}
