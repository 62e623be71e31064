import mongoose, { type PipelineStage, trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { minuteMs } from '../../lib/time.js';
import { inSteps } from '../../platforms/database/in-steps.js';
import { type Attempt, Deliveries, type Delivery, type FailureReason, openByEndpoint } from './delivery-model.js';
import { retryWindowMs } from './retry-schedule.js';

/** An attempt counts as lost this long after its start. It takes 10 s at most, so its process must have ended. */
export const leaseMs = 30_000;

/** Maximum stored attempts for a delivery: all, unless it is redelivered by hand many times. */
const keptAttempts = 50;

/** How late the last retry may come when there is much to do. */
const lastTryGraceMs = 10 * minuteMs;

/** A delivery claimed by this process for its attempt number `attemptCount`. */
export interface ClaimedDelivery extends Delivery {
  firstAttemptAt: Date;
  lease: { since: Date };
  /** The attempt before, if a killed process left it under way. */
  interrupted?: Attempt;
}

/**
 * The driver's own collection, for every delivery's writes: Mongoose's checks, which repeat the compiler's, take as
 * long as the writes.
 */
const stored = () => mongoose.connection.collection<Delivery>(Deliveries.acrossGuilds.collection.name);

/** The deliveries that an endpoint may get now: all due ones, or only those from before its guild's suspension. */
export interface DueOf {
  webhookId: string;
  guildId: string;
  suspendedAt?: Date | undefined;
}

/** An endpoint's due deliveries that no process has claimed, the longest due first. */
export function findDue({ webhookId, guildId, suspendedAt }: DueOf, now: Date, limit: number): Promise<Delivery[]> {
  const due = { guildId, webhookId, nextAttemptAt: { $lte: now } };
  return stored()
    .find(suspendedAt === undefined ? due : { ...due, ...sendableWhileSuspended(suspendedAt) })
    .project<Delivery>(withoutAnswers)
    .sort({ nextAttemptAt: 1 })
    .limit(limit)
    .hint(openByEndpoint)
    .toArray();
}

/** The next attempt needs the outcomes of earlier ones, but not their answers. */
const withoutAnswers = { 'attempts.responseBody': 0, 'attempts.error': 0 };

/**
 * Claims a delivery; null if another process claimed it since it was read. One write stores, before the request goes
 * out, that the next attempt has begun. If this process is killed, the delivery is due again after the lease.
 */
export async function claimDelivery(due: Delivery, now: Date): Promise<ClaimedDelivery | null> {
  const { _id, guildId, attemptCount, nextAttemptAt } = due;
  const { modifiedCount } = await stored().updateOne(
    { _id, guildId, attemptCount, ...(nextAttemptAt && { nextAttemptAt }) },
    {
      $inc: { attemptCount: 1 },
      $min: { firstAttemptAt: now },
      $set: { lease: { since: now }, nextAttemptAt: new Date(now.getTime() + leaseMs) },
    },
  );
  return modifiedCount === 0 ? null : asClaimed(due, now);
}

/** The suspension event and everything before it is delivered; later events are held (HOOK-25). */
const sendableWhileSuspended = (suspendedAt: Date) => ({
  $or: [{ event: 'guild.suspended' as const }, { eventAt: { $lte: suspendedAt } }],
});

function asClaimed(before: Delivery, now: Date): ClaimedDelivery {
  const { attemptCount, lease, firstAttemptAt = now } = before;
  return {
    ...before,
    attemptCount: attemptCount + 1,
    firstAttemptAt,
    lease: { since: now },
    ...(lease && { interrupted: { n: attemptCount, at: lease.since, outcome: 'interrupted' } }),
  };
}

/** The decision after an attempt: the delivery is complete, or is retried at a given time. */
export type Verdict =
  | { state: 'succeeded' }
  | { state: 'failed'; failureReason: FailureReason }
  | { state: 'retrying'; nextAttemptAt: Date };

export const exhausted: Verdict = { state: 'failed', failureReason: 'attempts_exhausted' };

/**
 * Stores how the claimed attempt ended; without an `attempt`, that none was made. Does nothing when the delivery has
 * been claimed again since, because this process took longer than its lease.
 */
export async function settleDelivery(
  claimed: ClaimedDelivery,
  attempt: Attempt | null,
  verdict: Verdict,
  now: Date,
): Promise<void> {
  const { _id, guildId, attemptCount, interrupted } = claimed;
  const ended = [interrupted, attempt].filter((one) => one !== undefined && one !== null);
  const isOver = verdict.state !== 'retrying';
  const { matchedCount } = await stored().updateOne(
    { _id, guildId, attemptCount },
    {
      $push: { attempts: { $each: ended, $slice: -keptAttempts } },
      $set: { ...verdict, ...(isOver && { completedAt: now }) },
      $unset: { lease: 1, ...(isOver && { nextAttemptAt: 1, once: 1 }) },
    },
  );
  if (matchedCount === 0)
    logger.warn({ deliveryId: _id, attempt: attemptCount }, 'delivery was claimed by another process');
}

/** Stores a new delivery with its first attempt claimed by this process. */
export async function insertClaimed(delivery: Delivery, now: Date): Promise<ClaimedDelivery> {
  const lease = { since: now };
  const nextAttemptAt = new Date(now.getTime() + leaseMs);
  const claimed = { ...delivery, attemptCount: 1, firstAttemptAt: now, lease, nextAttemptAt };
  await Deliveries.insert(claimed);
  return claimed;
}

/**
 * Bounds on both index fields: only then is it read once per endpoint, however many open deliveries there are
 * (DISTINCT_SCAN).
 */
const firstDueAfter = (moment: Date): PipelineStage[] => [
  { $match: { webhookId: { $gt: '' }, nextAttemptAt: { $gt: moment } } },
  { $sort: { webhookId: 1, nextAttemptAt: 1 } },
  { $group: { _id: '$webhookId', guildId: { $first: '$guildId' }, dueAt: { $first: '$nextAttemptAt' } } },
];

export const nextDuePipeline: PipelineStage[] = firstDueAfter(new Date(0));

/** Each endpoint's next due time, if it has open deliveries, the longest due first. */
export async function nextDueByEndpoint(): Promise<{ webhookId: string; guildId: string; dueAt: Date }[]> {
  const found = await Deliveries.acrossGuilds
    .aggregate<{ _id: string; guildId: string; dueAt: Date }>([...nextDuePipeline, { $sort: { dueAt: 1 } }])
    .hint(openByEndpoint);
  return found.map(({ _id: webhookId, ...due }) => ({ webhookId, ...due }));
}

/**
 * The first open delivery's due time after `now`; null for none. Per endpoint the first one after `now` is read, not
 * the very first, so that a long backlog costs nothing.
 */
export async function nextDueAfter(now: Date): Promise<Date | null> {
  const found = await Deliveries.acrossGuilds
    .aggregate<{ dueAt: Date }>([...firstDueAfter(now), { $sort: { dueAt: 1 } }, { $limit: 1 }])
    .hint(openByEndpoint);
  return found[0]?.dueAt ?? null;
}

/** Makes deliveries that a crash interrupted due immediately. For the database's only process, before it claims any. */
export async function releaseInterrupted(): Promise<void> {
  const now = clock.now();
  const notYetDue = { nextAttemptAt: trusted({ $gt: now, $lte: new Date(now.getTime() + leaseMs) }) };
  const leased = { webhookId: trusted({ $gt: '' }), ...notYetDue, lease: trusted({ $exists: true }) };
  await Deliveries.acrossGuilds.updateMany(leased, { $set: { nextAttemptAt: now } }).hint(openByEndpoint);
}

/**
 * Whether a claimed delivery has passed its 24 hours for retries because no process ran for the last one. The time
 * starts with the first attempt; a redelivery has no limit.
 */
export function isTooLate({ once, firstAttemptAt }: ClaimedDelivery, now: Date): boolean {
  return !once && now.getTime() > firstAttemptAt.getTime() + retryWindowMs + lastTryGraceMs;
}

/** Makes an endpoint's deliveries due at `at` that our own fault, now repaired, kept from being sent. */
export async function makeUnsentDueNow(webhookId: string, at: Date): Promise<void> {
  const unsent = { 'attempts.outcome': 'not_sent' as const, lease: trusted({ $exists: false }) };
  const later = { webhookId, nextAttemptAt: trusted({ $gt: at }), ...unsent };
  await inSteps(Deliveries.acrossGuilds, later, openByEndpoint, (some) =>
    Deliveries.acrossGuilds
      .updateMany(some, { $set: { nextAttemptAt: at } })
      .hint({ _id: 1 })
      .exec(),
  );
}

/** Ends an endpoint's deliveries that have been due, and held, for 24 hours. */
export async function expireHeld(webhookId: string, now: Date): Promise<void> {
  const before = new Date(now.getTime() - retryWindowMs);
  await endOpen(webhookId, { nextAttemptAt: trusted({ $lte: before }) }, 'expired_while_held', now);
}

export async function endOfEndpoint(webhookId: string, now: Date): Promise<void> {
  await endOpen(webhookId, { nextAttemptAt: trusted({ $exists: true }) }, 'endpoint_removed', now);
}

async function endOpen(webhookId: string, which: object, failureReason: FailureReason, now: Date): Promise<void> {
  const ended = { state: 'failed', failureReason, completedAt: now } as const;
  const change = { $set: ended, $unset: { nextAttemptAt: 1, lease: 1, once: 1 } } as const;
  await inSteps(Deliveries.acrossGuilds, { webhookId, ...which }, openByEndpoint, (some) =>
    Deliveries.acrossGuilds.updateMany(some, change).hint({ _id: 1 }).exec(),
  );
}
