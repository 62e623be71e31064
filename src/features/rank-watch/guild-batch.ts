import { trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { inPieces } from '../../lib/in-pieces.js';
import { SingleFlight } from '../../lib/single-flight.js';
import { secondMs } from '../../lib/time.js';
import { whileRenewing } from '../../lib/while-renewing.js';
import { USERS_PER_BATCH } from '../../platforms/roblox/membership-reads.js';
import { groupsPerUserSeen } from '../../platforms/roblox/open-cloud-memberships.js';
import type { Patience } from '../../platforms/roblox/roblox-http.js';
import { type HeldBefore, readPages, readPeople } from './account-reading.js';
import { type BatchPlan, peopleAtOnce, planBatch } from './plan-readings.js';
import type { RankInterests } from './rank-interests.js';
import { hasKey, rankTargetMs } from './rank-target.js';
import { noteReadings, type Subject, subjectsOf } from './seen-ranks.js';
import type { TokenBucket } from './token-bucket.js';
import {
  urgentAt,
  type WatchedAccount,
  WatchedAccounts,
  WatchedGroups,
  type WatchedGuild,
  WatchedGuilds,
} from './watched-models.js';

/** Another process may claim an interrupted batch after this time. A batch under way renews its claim. */
const claimMs = 30 * secondMs;
/** A question to all loops is given up after this time, since they would wait for its answer together. */
export const askedWithinMs = 10 * secondMs;
/** A guild's wait after a failure. */
const retryMs = 30 * secondMs;
const urgentAtOnce = 500;
const keylessPerBatch = 50;
const notedAtOnce = 500;

export interface BatchContext {
  interests: RankInterests;
  pace: TokenBucket;
  patience: Patience;
  urgently: Patience;
  /** Waits before a sync is enqueued, since that makes calls too. */
  paced: () => Promise<void>;
}

/**
 * Claims the guild with the longest overdue batch; if none is due, one with more left to read. No other process can
 * claim it during the batch.
 */
export async function claimBatch(now: Date): Promise<WatchedGuild | null> {
  const isFree = { claimedUntil: trusted({ $lte: now }) };
  const claim = { $set: { claimedUntil: new Date(now.getTime() + claimMs) } };
  const claimFirst = (filter: object) =>
    WatchedGuilds.findOneAndUpdate({ ...filter, ...isFree }, claim, { sort: { turnAt: 1 }, returnDocument: 'after' })
      .lean<WatchedGuild | null>()
      .exec();
  return (await claimFirst({ turnAt: trusted({ $lte: now }) })) ?? claimFirst({ behind: true });
}

/** The next batch's earliest time; null without watched people. A process's loops often ask at the same time. */
export const nextBatchAt = (): Promise<Date | null> => nextBatches.get('next');

const nextBatches = new SingleFlight(async () => {
  const next = await WatchedGuilds.findOne({}, { turnAt: 1 }).sort({ turnAt: 1 }).lean<WatchedGuild | null>();
  return next?.turnAt ?? null;
}, askedWithinMs);

/** Reads a guild's due people, some or all. Throws GamePlatformUnavailable: they stay due, and the guild waits 30 s. */
export async function readBatch(guild: WatchedGuild, context: BatchContext): Promise<void> {
  let spent = 0;
  let failed = true;
  try {
    spent = await whileRenewing(renewalOf(guild), () => readDue(guild, context));
    failed = false;
  } finally {
    await endBatch(guild, context, { spent, failed });
  }
}

/** Keeps the claim for as long as no other process has taken it. */
function renewalOf({ _id, claimedUntil: first }: WatchedGuild) {
  let claimedUntil = first;
  return {
    everyMs: claimMs / 3,
    renew: async () => {
      const until = new Date(clock.epochMs() + claimMs);
      const { matchedCount } = await WatchedGuilds.updateOne({ _id, claimedUntil }, { $set: { claimedUntil: until } });
      if (matchedCount > 0) claimedUntil = until;
    },
  };
}

/** @returns how many calls the plan takes. */
async function readDue({ _id: guildId }: WatchedGuild, context: BatchContext): Promise<number> {
  const seenAt = clock.now();
  const isDue = { guildId, dueAt: trusted({ $lte: seenAt }) };
  const due = await WatchedAccounts.countDocuments(isDue, { limit: peopleAtOnce });
  if (due === 0) return 0;
  const isUrgent = (await WatchedAccounts.exists({ guildId, dueAt: urgentAt })) !== null;
  const groupIds = context.interests.groupsFor([guildId]);
  const plan = isUrgent ? urgentPlan(due) : await planFor(due, groupIds);
  const reading = {
    isDue,
    plan,
    groupIds,
    seenAt,
    context: isUrgent ? { ...context, patience: context.urgently } : context,
  };
  await (plan.way === 'pages' ? readInPages(reading) : readInBatches(reading));
  return plan.calls;
}

interface Reading {
  isDue: object;
  plan: BatchPlan;
  groupIds: readonly string[];
  seenAt: Date;
  context: BatchContext;
}

/** Reads each person's groups. Each batch is noted separately, so that a failure loses little. */
async function readInBatches({ isDue, plan, seenAt, context }: Reading): Promise<void> {
  const accounts = await WatchedAccounts.find(isDue).sort({ dueAt: 1 }).limit(plan.people).lean<WatchedAccount[]>();
  for (const some of inPieces(accounts, USERS_PER_BATCH)) {
    const subjects = await subjectsOf(some, context.interests);
    const wanted = subjects.filter(({ groupIds }) => groupIds.length > 0);
    await noteReadings(subjects, await readPeople(wanted, context.patience), { seenAt, ...context });
  }
}

/**
 * Reads the guild's groups, every page, and all groups of people with other groups. That may be 20,000 people: only
 * their held roles stay in memory, and the rest is read again when they are noted.
 */
async function readInPages({ isDue, plan, groupIds, seenAt, context }: Reading): Promise<void> {
  const { interests, patience } = context;
  const there = new Set(groupIds);
  const isThere = (subject: Subject) => subject.groupIds.every((id) => there.has(id));
  const inPages: HeldBefore[] = [];
  const elsewhere = new Map<string, HeldBefore>();
  const due = WatchedAccounts.find(isDue, { _id: 1 }).sort({ dueAt: 1 }).limit(plan.people);
  const ids = (await due.lean<Pick<WatchedAccount, '_id'>[]>()).map(({ _id }) => _id);
  for await (const subjects of subjectsAmong(ids, interests)) {
    for (const subject of subjects.filter((one) => one.groupIds.length > 0)) {
      const before = { _id: subject._id, held: [...subject.held] };
      if (isThere(subject)) inPages.push(before);
      else elsewhere.set(before._id, before);
    }
  }
  const ofPages = await readPages(inPages, groupIds, patience);
  const ofElsewhere = await readPeople([...elsewhere.values()], patience);
  const readings = { get: (id: string) => ofElsewhere.get(id) ?? ofPages.get(id) };
  for await (const subjects of subjectsAmong(ids, interests)) {
    // A person with another group added since the sorting stays due.
    const asSorted = subjects.filter((subject) => elsewhere.has(subject._id) || isThere(subject));
    await noteReadings(asSorted, readings, { seenAt, ...context });
  }
}

/** The subjects among these accounts, some at a time. */
async function* subjectsAmong(ids: readonly string[], interests: RankInterests): AsyncGenerator<Subject[]> {
  for (const some of inPieces(ids, notedAtOnce)) {
    const accounts = await WatchedAccounts.find({ _id: trusted({ $in: some }) }).lean<WatchedAccount[]>();
    yield await subjectsOf(accounts, interests);
  }
}

const urgentPlan = (due: number): BatchPlan => ({ way: 'people', people: Math.min(due, urgentAtOnce), calls: 0 });

async function planFor(due: number, groupIds: readonly string[]): Promise<BatchPlan> {
  if (!hasKey())
    return { way: 'people', people: Math.min(due, keylessPerBatch), calls: Math.min(due, keylessPerBatch) };
  const known = await WatchedGroups.find({ _id: trusted({ $in: [...groupIds] }), counted: true }).lean();
  const groups = known.map(({ _id: groupId, roles }) => ({
    groupId,
    memberCount: roles.reduce((sum, { members }) => sum + members, 0),
  }));
  const sizes = groups.length === groupIds.length ? groups : null;
  return planBatch({ due, groups: sizes, groupsPerUser: groupsPerUserSeen() });
}

/**
 * Sets the guild's next turn. One with more to read waits behind the others for as long as its turn used the key's
 * calls, longer on a slower plan.
 */
async function endBatch(
  { _id: guildId }: WatchedGuild,
  { interests, pace }: BatchContext,
  { spent, failed }: { spent: number; failed: boolean },
): Promise<void> {
  const now = clock.epochMs();
  const next = await WatchedAccounts.findOne({ guildId }, { dueAt: 1 })
    .sort({ dueAt: 1 })
    .lean<WatchedAccount | null>();
  if (next === null) {
    await WatchedGuilds.deleteOne({ _id: guildId });
    return;
  }
  const isLeft = next.dueAt.getTime() <= now;
  const weight = rankTargetMs(interests.plans.get(guildId) ?? 'free') / rankTargetMs('enterprise');
  const behindAt = isLeft && next.dueAt > urgentAt ? now + pace.msOf(spent) * weight : next.dueAt.getTime();
  const turnAt = new Date(failed ? now + retryMs : behindAt);
  await WatchedGuilds.updateOne(
    { _id: guildId },
    { $set: { turnAt, behind: isLeft && !failed, claimedUntil: urgentAt } },
  );
}
