import { trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { GamePlatformUnavailable } from '../../lib/errors.js';
import { logger } from '../../lib/logger.js';
import { dayMs, minuteMs } from '../../lib/time.js';
import { type GroupLog, readGroupLog } from '../../platforms/roblox/group-log.js';
import { USERS_PER_BATCH } from '../../platforms/roblox/membership-reads.js';
import type { Patience } from '../../platforms/roblox/roblox-http.js';
import { aboutGroup, groupOf } from '../members/held-ranks.js';
import { readPeople } from './account-reading.js';
import { makeDueNow, scheduleBatchesFor } from './due-people.js';
import type { RankInterests } from './rank-interests.js';
import { noteReadings, subjectsOf } from './seen-ranks.js';
import { makeUrgent } from './watched-links.js';
import { type WatchedAccount, WatchedAccounts, type WatchedGroup, WatchedGroups } from './watched-models.js';

/** How long a refusal is remembered, and how long a failed or malformed answer. */
const [hiddenMs, failedMs] = [dayMs, 5 * minuteMs];
/** Lines stay relevant for this time after a poll: others may come late, and their effects may not be readable yet. */
const overlapMs = minuteMs;
/** Time after a reading until the same line causes another. */
const againAfterMs = overlapMs / 2;
/** An empty log's newest line: any later line is new. */
const nothingYet = new Date(0);

interface LogContext {
  interests: RankInterests;
  /** The patience for log calls, null while these are used up, and for membership calls. */
  logs: Patience | null;
  members: Patience;
  /** Waits before a sync is enqueued, since that makes calls too. */
  paced: () => Promise<void>;
  /** Milliseconds between two polls. */
  everyMs: number;
}

/**
 * Reads the newest lines of a group's log, then the named people's ranks: a line is only a hint. @returns whether the
 * log covers everything since the last poll.
 */
export async function pollLog(group: WatchedGroup, context: LogContext): Promise<boolean> {
  const { _id: groupId, logUpTo, logFrom, seenAt } = group;
  const { logs } = context;
  if (logs === null || (logFrom !== undefined && logFrom > clock.now())) return false;
  const polledAt = (seenAt ?? logUpTo)?.getTime() ?? 0;
  const since = logUpTo === undefined ? null : new Date(Math.min(logUpTo.getTime(), polledAt - overlapMs));
  const log = await readGroupLog(groupId, since, logs).catch((error) => {
    if (!(error instanceof GamePlatformUnavailable)) throw error;
    return undefined;
  });
  if (log === null) {
    await WatchedGroups.updateOne({ _id: groupId }, { $set: { logFrom: after(hiddenMs) }, $unset: { logUpTo: 1 } });
    return false;
  }
  if (log === undefined || isOlderThan(log, logUpTo)) {
    logger.info({ groupId }, 'group log not usable for now');
    await WatchedGroups.updateOne({ _id: groupId }, { $set: { logFrom: after(failedMs) } });
    return false;
  }
  await readNamed(groupId, log, context);
  const newest = log.newestAt ?? nothingYet;
  // A line from the future would hide all that follow.
  const upTo = newest > clock.now() ? clock.now() : newest;
  await WatchedGroups.updateOne({ _id: groupId }, { $set: { logUpTo: upTo }, $unset: { logFrom: 1 } });
  return logUpTo !== undefined && log.isComplete;
}

const after = (ms: number): Date => new Date(clock.epochMs() + ms);

/** Lines don't vanish: a log without its newest known line is not believed. */
function isOlderThan({ newestAt }: GroupLog, seen: Date | undefined): boolean {
  return seen !== undefined && (newestAt ?? nothingYet) < seen;
}

/**
 * Reads the people that the log names immediately. If a line leaves the person open, schedules everyone that the group
 * matters to.
 */
async function readNamed(groupId: string, log: GroupLog, context: LogContext): Promise<void> {
  const { interests, everyMs } = context;
  const ids = [...log.changedAt.keys()];
  const named = await WatchedAccounts.find({ _id: trusted({ $in: ids }) }).lean<WatchedAccount[]>();
  const unread = named.filter((account) => concerns(groupId, account) && !isReadSince(log, account));
  const now = unread.slice(0, USERS_PER_BATCH);
  await readNow(now, context).catch(async (error) => {
    if (!(error instanceof GamePlatformUnavailable)) throw error;
    await makeUrgent(now);
  });
  await makeUrgent(unread.slice(USERS_PER_BATCH));
  if (log.isComplete) return;
  await makeDueNow(aboutGroup(groupId), everyMs);
  await scheduleBatchesFor(groupId, interests);
}

const concerns = (groupId: string, { held }: WatchedAccount): boolean => held.some((text) => groupOf(text) === groupId);

/** Whether an account was read after the line, and too recently to be read again. */
function isReadSince({ changedAt }: GroupLog, { _id, seenAt }: WatchedAccount): boolean {
  const line = changedAt.get(_id);
  return (
    seenAt !== undefined && line !== undefined && seenAt > line && clock.epochMs() - seenAt.getTime() < againAfterMs
  );
}

/**
 * Reads accounts immediately, without waiting for their guild's batch, which may take long; up to the number that one
 * call covers.
 */
async function readNow(accounts: readonly WatchedAccount[], context: LogContext): Promise<void> {
  if (accounts.length === 0) return;
  const seenAt = clock.now();
  const subjects = await subjectsOf(accounts, context.interests);
  const wanted = subjects.filter(({ groupIds }) => groupIds.length > 0);
  await noteReadings(subjects, await readPeople(wanted, context.members), { ...context, seenAt });
}

/** Polls refused logs again, since the host may have given the key more permissions. */
export async function askLogsAgain(): Promise<void> {
  await WatchedGroups.updateMany({ logFrom: trusted({ $exists: true }) }, { $unset: { logFrom: 1 } });
}
