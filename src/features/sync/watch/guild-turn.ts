import { trusted } from 'mongoose';
import { clock } from '../../../lib/clock.js';
import { minuteMs, secondMs } from '../../../lib/time.js';
import { groupsPerUserSeen } from '../../../platforms/roblox/open-cloud-memberships.js';
import type { Patience } from '../../../platforms/roblox/roblox-http.js';
import { type Readings, readPages, readPeople } from './account-reading.js';
import { peopleAtOnce, planTurn, type TurnPlan } from './plan-readings.js';
import type { RankInterests } from './rank-interests.js';
import { hasKey, rankTargetMs } from './rank-target.js';
import type { ReadingPace } from './reading-pace.js';
import { noteReadings, type Subject, subjectsOf } from './seen-ranks.js';
import {
  urgentAt,
  type WatchedAccount,
  WatchedAccounts,
  WatchedGroups,
  type WatchedGuild,
  WatchedGuilds,
} from './watched-models.js';

/** A turn whose process was killed may be taken by another after this time, and what its calls may take twice over. */
const claimMs = 2 * minuteMs;
/** After a failure the guild waits. */
const retryMs = 30 * secondMs;
const urgentAtOnce = 500;
const keylessPerTurn = 50;

/** What a turn goes by. */
export interface TurnContext {
  interests: RankInterests;
  pace: ReadingPace;
  patience: Patience;
  urgently: Patience;
  /** Waits before a sync is owed, which makes calls too. */
  paced: () => Promise<void>;
}

/**
 * Takes up the guild whose turn is due longest; where none is due, one that has more to read than its turns took.
 * No other process has a turn of it meanwhile.
 */
export async function takeTurn(now: Date): Promise<WatchedGuild | null> {
  const isFree = { claimedUntil: trusted({ $lte: now }) };
  const claim = { $set: { claimedUntil: new Date(now.getTime() + claimMs) } };
  const take = (filter: object) =>
    WatchedGuilds.findOneAndUpdate({ ...filter, ...isFree }, claim, { sort: { turnAt: 1 }, returnDocument: 'after' })
      .lean<WatchedGuild | null>()
      .exec();
  return (await take({ turnAt: trusted({ $lte: now }) })) ?? take({ behind: true });
}

/** When the next turn may begin; null when nobody is watched. */
export async function nextTurnAt(): Promise<Date | null> {
  const next = await WatchedGuilds.findOne({}, { turnAt: 1 }).sort({ turnAt: 1 }).lean<WatchedGuild | null>();
  return next?.turnAt ?? null;
}

/** Reads who of a guild is due, some or all. Throws GamePlatformUnavailable: they stay due, and the guild waits 30 s. */
export async function playTurn(turn: WatchedGuild, context: TurnContext): Promise<void> {
  let spent = 0;
  let failed = true;
  try {
    spent = await readDue(turn, context);
    failed = false;
  } finally {
    await endTurn(turn, context, { spent, failed });
  }
}

/** @returns the calls that it was planned to take. */
async function readDue({ _id: guildId, claimedUntil }: WatchedGuild, context: TurnContext): Promise<number> {
  const seenAt = clock.now();
  const isDue = { guildId, dueAt: trusted({ $lte: seenAt }) };
  const due = await WatchedAccounts.countDocuments(isDue, { limit: peopleAtOnce });
  if (due === 0) return 0;
  const isUrgent = (await WatchedAccounts.exists({ guildId, dueAt: urgentAt })) !== null;
  const groupIds = context.interests.groupsFor([guildId]);
  const plan = isUrgent ? urgentPlan(due) : await planFor(due, groupIds);
  await WatchedGuilds.updateOne(
    { _id: guildId, claimedUntil },
    { $set: { claimedUntil: new Date(claimedUntil.getTime() + 2 * context.pace.msOf(plan.calls)) } },
  );
  const accounts = await WatchedAccounts.find(isDue).sort({ dueAt: 1 }).limit(plan.people).lean<WatchedAccount[]>();
  for (const some of inPieces(accounts, plan.way)) {
    const subjects = await subjectsOf(some, context.interests);
    const readings = await read(
      subjects,
      groupIds,
      plan,
      isUrgent ? { ...context, patience: context.urgently } : context,
    );
    await noteReadings(subjects, readings, { seenAt, ...context });
  }
  return plan.calls;
}

const urgentPlan = (due: number): TurnPlan => ({ way: 'people', people: Math.min(due, urgentAtOnce), calls: 0 });

async function planFor(due: number, groupIds: readonly string[]): Promise<TurnPlan> {
  if (!hasKey()) return { way: 'people', people: Math.min(due, keylessPerTurn), calls: Math.min(due, keylessPerTurn) };
  const known = await WatchedGroups.find({ _id: trusted({ $in: [...groupIds] }), counted: true }).lean();
  const groups = known.map(({ _id: groupId, roles }) => ({
    groupId,
    memberCount: roles.reduce((sum, { members }) => sum + members, 0),
  }));
  const sizes = groups.length === groupIds.length ? groups : null;
  return planTurn({ due, groups: sizes, groupsPerUser: groupsPerUserSeen() });
}

/** Of batches, each is noted by itself, so that a failure loses little; pages are read for all. */
function inPieces(accounts: readonly WatchedAccount[], way: TurnPlan['way']): (readonly WatchedAccount[])[] {
  if (way === 'pages') return [accounts];
  const pieces: WatchedAccount[][] = [];
  for (let at = 0; at < accounts.length; at += 50) pieces.push(accounts.slice(at, at + 50));
  return pieces;
}

async function read(
  subjects: readonly Subject[],
  groupIds: readonly string[],
  { way }: TurnPlan,
  { patience }: Pick<TurnContext, 'patience'>,
): Promise<Readings> {
  const there = new Set(groupIds);
  const wanted = subjects.filter((subject) => subject.groupIds.length > 0);
  const inPages = way === 'pages' ? wanted.filter((subject) => subject.groupIds.every((id) => there.has(id))) : [];
  const singly = way === 'pages' ? wanted.filter((subject) => !inPages.includes(subject)) : wanted;
  const readings = inPages.length === 0 ? new Map() : await readPages(inPages, groupIds, patience);
  for (const [id, ranks] of await readPeople(singly, patience)) readings.set(id, ranks);
  return readings;
}

/**
 * Sets the guild's next turn. One that has more to read goes behind the others for as long as its turn took of the
 * key's calls, longer by a slower plan.
 */
async function endTurn(
  { _id: guildId }: WatchedGuild,
  { interests, pace }: TurnContext,
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
