import { trusted } from 'mongoose';
import { config } from '../../config/config.js';
import type { Actor } from '../../core/actors/actor.js';
import { enterLog, type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import { changesBetween } from '../../core/audit/changes-between.js';
import { changePlan, findGuild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { Conflict } from '../../lib/errors.js';
import { logger } from '../../lib/logger.js';
import { type Lease, withLease } from '../../platforms/database/lease.js';
import { push } from '../../platforms/events/outbox.js';
import {
  type BillingRecord,
  BillingRecords,
  nextSyncAfter,
  noBilling,
  type StoredSubscription,
} from './billing-record.js';
import { isInForce, planInForce } from './plan-in-force.js';
import { type ProviderSubscription, readSubscription } from './provider-subscription.js';

/** The actor for changes at Stripe: paid, failed, cancelled in the portal or automatically. */
const stripeActor: Actor = {
  kind: 'provider',
  id: 'stripe',
  name: 'Stripe',
  role: 'owner',
  platformAdmin: false,
};

/** Reading a guild's billing from Stripe and storing it runs one at a time. Throws Conflict `busy`. */
export function withBillingLease<T>(guildId: string, work: (lease: Lease) => Promise<T>): Promise<T> {
  return withLease(`billing:${guildId}`, work);
}

/** A guild's billing record, created when there is none. */
export async function openRecord(guildId: string): Promise<BillingRecord> {
  const found = await BillingRecords.findOne({ guildId });
  return found ?? BillingRecords.upsert({ guildId }, { $setOnInsert: noBilling });
}

/**
 * Changes a record, with its log entries. Throws Conflict `lease_lost` if a later lease's holder has already written.
 */
export async function writeRecord(
  record: BillingRecord,
  lease: Lease,
  changes: Partial<BillingRecord>,
  entries: readonly NewEntry[] = [],
): Promise<BillingRecord> {
  const next = { ...record, ...changes };
  const $set = { ...changes, nextSyncAt: nextSyncAfter(clock.now(), next), fence: lease.fence };
  const mine = { guildId: record.guildId, fence: trusted({ $lte: lease.fence }) };
  const written = await BillingRecords.update(mine, { $set, ...push(...entries) });
  if (written === null) throw new Conflict('lease_lost', 'Another process has taken this over.');
  await enterLog(...entries);
  return written;
}

/**
 * The guild that a subscription pays for: the one it names. If it names none of ours, or was made in Stripe's
 * dashboard, its customer's guild. Undefined for unrelated customers.
 */
export async function payerOf({
  customerId,
  guildId,
}: Pick<ProviderSubscription, 'guildId'> & { customerId: string | null }): Promise<string | undefined> {
  if (guildId !== undefined && (await findGuild(guildId)) !== null) return guildId;
  if (customerId === null) return undefined;
  const record = await BillingRecords.acrossGuilds.findOne({ customerId }, { guildId: 1 }).lean<{ guildId: string }>();
  return record?.guildId;
}

/**
 * Reads a guild's subscription from Stripe, stores it, and applies the resulting plan (PLAN-10). Repeating it changes
 * nothing. A subscription with an unknown price or state is logged and ignored. If Stripe assigns it to another guild,
 * that guild's id is returned. Throws BillingProviderUnavailable, Conflict `lease_lost`.
 */
export async function syncSubscription(
  guildId: string,
  subscriptionId: string,
  lease: Lease,
): Promise<string | undefined> {
  const found = await readSubscription(subscriptionId);
  const payer = found === null || found.guildId === guildId ? guildId : await payerOf(found);
  const record = await openRecord(guildId);
  const before = record.subscriptions.find((each) => each.subscriptionId === subscriptionId);
  const others = record.subscriptions.filter((each) => each !== before);
  if (payer !== guildId) {
    logger.warn({ guildId, subscriptionId, payer }, 'subscription pays for another guild than its metadata names');
    if (before !== undefined) await applyPlan(await writeRecord(record, lease, { subscriptions: others }));
    return payer;
  }
  const after = found === null ? undefined : storedForm(found, before);
  if (after === undefined) {
    logger.warn({ guildId, subscriptionId, found }, 'subscription without a known plan ignored');
    return undefined;
  }
  const changes = {
    subscriptions: [...others, after],
    lastSyncedAt: clock.now(),
    ...(record.customerId === null && found !== null && { customerId: found.customerId }),
  };
  await applyPlan(await writeRecord(record, lease, changes, entriesOfChange(guildId, before, after)));
  return undefined;
}

/** A subscription's stored form. If its price is no longer known, it keeps its plan. */
function storedForm(
  { id: subscriptionId, plan: paid, status, currentPeriodEnd, cancelAtPeriodEnd }: ProviderSubscription,
  before: StoredSubscription | undefined,
): StoredSubscription | undefined {
  const plan = paid ?? before?.plan;
  if (plan === undefined || status === undefined) return undefined;
  return { subscriptionId, status, plan, currentPeriodEnd, cancelAtPeriodEnd };
}

/**
 * Puts the plan that a record's subscriptions pay for in force. It is stored with the guild only while one is in force:
 * every other guild has `DEFAULT_PLAN`, as it is now.
 */
export async function applyPlan({
  guildId,
  subscriptions,
}: Pick<BillingRecord, 'guildId' | 'subscriptions'>): Promise<void> {
  const { defaultPlan } = config();
  const paid = subscriptions.some(isInForce) ? planInForce(subscriptions, defaultPlan) : null;
  await changePlan(guildId, paid, (from) =>
    newEntry({
      guildId,
      actor: stripeActor,
      action: 'billing.plan_changed',
      target: { kind: 'guild', id: guildId },
      changes: { plan: { from, to: paid ?? defaultPlan } },
    }),
  );
}

function entriesOfChange(
  guildId: string,
  before: StoredSubscription | undefined,
  after: StoredSubscription,
): NewEntry[] {
  const fields = ['status', 'plan', 'currentPeriodEnd', 'cancelAtPeriodEnd'] as const;
  const changes = changesBetween(before ?? null, after, fields);
  if (Object.keys(changes).length === 0) return [];
  const target = { kind: 'subscription', id: after.subscriptionId };
  return [newEntry({ guildId, actor: stripeActor, action: 'billing.subscription_changed', target, changes })];
}
