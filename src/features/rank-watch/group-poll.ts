import { trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { dayMs, minuteMs, secondMs } from '../../lib/time.js';
import { pending } from '../../platforms/database/pending.js';
import { type RoleCount, readRoleCounts } from '../../platforms/roblox/group-role-counts.js';
import { groupsPerUserSeen } from '../../platforms/roblox/open-cloud-memberships.js';
import type { Patience } from '../../platforms/roblox/roblox-http.js';
import { aboutGroup, outsideOf, roleIn } from '../members/held-ranks.js';
import { pollLog } from './group-log-poll.js';
import { isPollCheaper, planPoll } from './plan-readings.js';
import { isSweepDue, type PollTimes, pollTimes } from './poll-times.js';
import type { RankInterests } from './rank-interests.js';
import { readWanted, type WantedReadings } from './wanted-readings.js';
import { WatchedAccounts, type WatchedGroup, WatchedGroups } from './watched-models.js';

/** A group's wait after a failure. */
const retryMs = 2 * minuteMs;

const polls = pending<WatchedGroup>(WatchedGroups, 'dueAt', {
  what: 'poll of a group',
  index: { dueAt: 1 },
  claimMs: 30 * secondMs,
  backoff: { firstMs: retryMs, longestMs: retryMs },
  longestMs: dayMs,
});
/** Maximum people counted: a larger count wouldn't change the decision. */
const peopleCounted = 2_000;

export interface PollContext {
  interests: RankInterests;
  /** The patience for role, membership and log calls; null while these are used up. */
  counts: Patience;
  members: Patience;
  logs: Patience | null;
  /** Milliseconds to poll all groups' logs once. */
  logRoundMs: number;
  /** Waits before a sync is enqueued, since that makes calls too. */
  paced: () => Promise<void>;
}

/** Claims the group with the longest overdue poll, for 30 s; null if none is due. */
export const claimDueGroup = (): Promise<WatchedGroup | null> => polls.claimNext();

/** Polls a group as `pollAt` does, and renews its claim for as long as that takes. */
export const pollClaimed = (group: WatchedGroup, context: PollContext): Promise<void> =>
  polls.whileClaimed(group, () => pollAt(group, context));

/**
 * Polls a group's own log. If the log is silent, polls its role counts, if that is cheaper than reading the people.
 * Then reads everyone affected. Throws GamePlatformUnavailable and stores nothing, so that the same differences are
 * found again.
 */
async function pollAt(group: WatchedGroup, context: PollContext): Promise<void> {
  const { _id: groupId, roles: before } = group;
  const times = pollTimes(group, context);
  const { seenAt, everyMs, logMs, postponedTo } = times;
  if (postponedTo !== null) {
    await WatchedGroups.updateOne({ _id: groupId }, { $set: { dueAt: postponedTo } });
    return;
  }
  const people = await countPeople(groupId, context.interests);
  const counted = areCountsCheaper(group, people, context.interests);
  // A log is useless without linked people, or if they are read as often anyway.
  const isLogComplete = (counted || (people > 0 && logMs < everyMs)) && (await pollLog(group, { ...context, everyMs }));
  const dueAt = new Date(seenAt.getTime() + (isLogComplete ? logMs : everyMs));
  if (!counted) {
    const seen = { counted, dueAt, ...(isLogComplete && { seenAt }) };
    await WatchedGroups.updateOne({ _id: groupId }, { $set: seen, ...(!isLogComplete && { $unset: { seenAt: 1 } }) });
    return;
  }
  if (isLogComplete && !isSweepDue(before, times)) {
    await WatchedGroups.updateOne({ _id: groupId }, { $set: { counted, seenAt, dueAt } });
    return;
  }
  const now = await readRoleCounts(groupId, context.counts);
  const wanted = wantedReadings(group, now, { ...times, people });
  await readWanted(groupId, wanted, { ...context, everyMs });
  const roles = notedRoles(group, now, { ...wanted, seenAt });
  await WatchedGroups.updateOne({ _id: groupId }, { $set: { counted, roles, seenAt, dueAt } });
}

/** How many linked people a group matters to, at most `peopleCounted`. */
function countPeople(groupId: string, { guildsByGroup }: RankInterests): Promise<number> {
  const among = { guildIds: trusted({ $in: [...(guildsByGroup.get(groupId) ?? [])] }) };
  return WatchedAccounts.countDocuments(among, { limit: peopleCounted }).hint({ guildIds: 1, seenAt: 1 }).exec();
}

function areCountsCheaper({ _id: groupId, roles }: WatchedGroup, people: number, interests: RankInterests): boolean {
  const groupsOfPeople = fewestGroups(groupId, interests);
  return isPollCheaper({ people, roles: roles.length, groupsOfPeople, groupsPerUser: groupsPerUserSeen() });
}

function notedRoles(
  { roles: before }: WatchedGroup,
  now: readonly RoleCount[],
  { read, seenAt }: Pick<WantedReadings, 'read'> & Pick<PollTimes, 'seenAt'>,
): WatchedGroup['roles'] {
  const readAt = new Map(before.map((role) => [role.gameRoleId, role.readAt]));
  for (const { gameRoleId } of read) readAt.set(gameRoleId, seenAt);
  return now.map((role) => {
    const at = readAt.get(role.gameRoleId);
    return { ...role, ...(at !== undefined && { readAt: at }) };
  });
}

/** The readings that a group's role counts ask for: roles, former holders, or everybody in the group. */
function wantedReadings(
  { _id: groupId, roles: before }: WatchedGroup,
  now: readonly RoleCount[],
  { sweepBefore, people }: Pick<PollTimes, 'sweepBefore'> & { people: number },
): WantedReadings {
  const readAt = new Map(before.map((role) => [role.gameRoleId, role.readAt]));
  const swept = now.flatMap(({ gameRoleId: id }) => ((readAt.get(id)?.getTime() ?? 0) <= sweepBefore ? id : []));
  const plan = planPoll(before, now, { swept, people, groupsPerUser: groupsPerUserSeen() });
  const pulled = [
    ...plan.gone.map((gameRoleId) => roleIn(groupId, gameRoleId)),
    ...(plan.joined ? [outsideOf(groupId)] : []),
    ...(plan.leftFrom === null ? [] : [roleIn(groupId, plan.leftFrom)]),
  ];
  return { read: plan.read, soon: plan.everybody ? [aboutGroup(groupId)] : pulled, everybody: plan.everybody };
}

function fewestGroups(groupId: string, { guildsByGroup, groupsByGuild }: RankInterests): number {
  const numbers = (guildsByGroup.get(groupId) ?? []).map((guildId) => groupsByGuild.get(guildId)?.length ?? 1);
  return Math.min(...numbers, Number.MAX_SAFE_INTEGER);
}

/** Reads a group's people as often as without polls until the group can be polled again. */
export async function noteFailedPoll({ _id }: Pick<WatchedGroup, '_id'>): Promise<void> {
  const dueAt = new Date(clock.epochMs() + retryMs);
  await WatchedGroups.updateOne({ _id }, { $set: { counted: false, dueAt } });
}
