import mongoose, { type PipelineStage, trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { minuteMs } from '../../lib/time.js';
import { type Attempt, Deliveries, type Delivery, type FailureReason, openByEndpoint } from './delivery-model.js';
import { retryWindowMs } from './retry-schedule.js';

/** So long after its start an attempt counts as lost, as its process must have ended: it takes 10 s at most. */
export const leaseMs = 30_000;

/** So many attempts are kept of a delivery: all, unless it is redelivered by hand again and again. */
const keptAttempts = 50;

/** How much later than planned the last retry may come, when there is much to do. */
const lastTryGraceMs = 10 * minuteMs;

/** A delivery whose attempt number `attemptCount` is ours to make. */
export interface ClaimedDelivery extends Delivery {
  firstAttemptAt: Date;
  lease: { since: Date };
  /** The attempt before it, if a killed process has left it under way. */
  interrupted?: Attempt;
}

/**
 * The driver's own collection, for what every delivery costs: to have Mongoose check what the compiler has checked takes
 * as long as the writes do.
 */
const stored = () => mongoose.connection.collection<Delivery>(Deliveries.acrossGuilds.collection.name);

/** What an endpoint may have delivered now: all that is due, or only what was told of before its guild's suspension. */
export interface DueOf {
  webhookId: string;
  guildId: string;
  suspendedAt?: Date | undefined;
}

/** The deliveries of an endpoint that are due, the longest due first. They are free to be claimed by anybody yet. */
export function findDue({ webhookId, guildId, suspendedAt }: DueOf, now: Date, limit: number): Promise<Delivery[]> {
  const due = { guildId, webhookId, nextAttemptAt: { $lte: now } };
  return stored()
    .find(suspendedAt === undefined ? due : { ...due, ...toldOf(suspendedAt) })
    .project<Delivery>(withoutAnswers)
    .sort({ nextAttemptAt: 1 })
    .limit(limit)
    .hint(openByEndpoint)
    .toArray();
}

/** Of the attempts, the next one needs to know the outcomes and not all that was answered. */
const withoutAnswers = { 'attempts.responseBody': 0, 'attempts.error': 0 };

/**
 * Takes a delivery, or gives null when somebody else has taken it since it was read. The one write stores, before the
 * request goes out, that the next attempt has begun; should this process be killed, it is due again after the lease.
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

/** A suspension is told of itself, and so is everything before it; what comes later is held (SPEC §5). */
const toldOf = (suspendedAt: Date) => ({
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

/** What becomes of a delivery after an attempt: it is over, or tried again at a time. */
export type Verdict =
  | { state: 'succeeded' }
  | { state: 'failed'; failureReason: FailureReason }
  | { state: 'retrying'; nextAttemptAt: Date };

/** All attempts are made. */
export const exhausted: Verdict = { state: 'failed', failureReason: 'attempts_exhausted' };

/**
 * Stores how the claimed attempt ended; without an `attempt`, that none was made. Does nothing when the delivery has
 * been claimed anew since, because this process took longer than its lease.
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
  if (matchedCount === 0) logger.warn({ deliveryId: _id, attempt: attemptCount }, 'delivery claimed anew meanwhile');
}

/** Stores a new delivery whose first attempt is ours to make at once. */
export async function insertClaimed(delivery: Delivery, now: Date): Promise<ClaimedDelivery> {
  const lease = { since: now };
  const nextAttemptAt = new Date(now.getTime() + leaseMs);
  const claimed = { ...delivery, attemptCount: 1, firstAttemptAt: now, lease, nextAttemptAt };
  await Deliveries.insert(claimed);
  return claimed;
}

/**
 * The index is only looked into once for each endpoint, however many open deliveries it has (DISTINCT_SCAN): for that,
 * both its fields must have bounds.
 */
export const nextDuePipeline: PipelineStage[] = [
  { $match: { webhookId: { $gt: '' }, nextAttemptAt: { $gt: new Date(0) } } },
  { $sort: { webhookId: 1, nextAttemptAt: 1 } },
  { $group: { _id: '$webhookId', dueAt: { $first: '$nextAttemptAt' } } },
];

/** When each endpoint with open deliveries has something due next, the longest due first. */
export async function nextDueByEndpoint(): Promise<{ webhookId: string; dueAt: Date }[]> {
  const found = await Deliveries.acrossGuilds
    .aggregate<{ _id: string; dueAt: Date }>([...nextDuePipeline, { $sort: { dueAt: 1 } }])
    .hint(openByEndpoint);
  return found.map(({ _id: webhookId, dueAt }) => ({ webhookId, dueAt }));
}

/** Makes what a killed process had under way due at once. For the database's only process, before it claims anything. */
export async function releaseInterrupted(): Promise<void> {
  const now = clock.now();
  const notYetDue = { nextAttemptAt: trusted({ $gt: now, $lte: new Date(now.getTime() + leaseMs) }) };
  const leased = { webhookId: trusted({ $gt: '' }), ...notYetDue, lease: trusted({ $exists: true }) };
  await Deliveries.acrossGuilds.updateMany(leased, { $set: { nextAttemptAt: now } }).hint(openByEndpoint);
}

/**
 * Whether a claimed delivery's 24 hours of retries are over, because there was nobody to make the last one. A
 * redelivery has no such window; for others the first attempt opens it.
 */
export function isTooLate({ once, firstAttemptAt }: ClaimedDelivery, now: Date): boolean {
  return !once && now.getTime() > firstAttemptAt.getTime() + retryWindowMs + lastTryGraceMs;
}

/** Ends the deliveries of an endpoint that have been due for 24 hours: they were held all that time. */
export async function expireHeld(webhookId: string, now: Date): Promise<void> {
  const before = new Date(now.getTime() - retryWindowMs);
  await endOpen(webhookId, { nextAttemptAt: trusted({ $lte: before }) }, 'expired_while_held', now);
}

/** Ends all open deliveries of an endpoint that is not there any more. */
export async function endOfEndpoint(webhookId: string, now: Date): Promise<void> {
  await endOpen(webhookId, { nextAttemptAt: trusted({ $exists: true }) }, 'endpoint_removed', now);
}

async function endOpen(webhookId: string, which: object, failureReason: FailureReason, now: Date): Promise<void> {
  await Deliveries.acrossGuilds.updateMany(
    { webhookId, ...which },
    { $set: { state: 'failed', failureReason, completedAt: now }, $unset: { nextAttemptAt: 1, lease: 1, once: 1 } },
  );
}
