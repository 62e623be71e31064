import { clock } from '../../lib/clock.js';
import { secondMs } from '../../lib/time.js';
import type { Patience } from '../../platforms/roblox/roblox-http.js';
import type { RankInterests } from './rank-interests.js';
import { logEveryMs, pollEveryMs, rankTargetMs, sweepEveryTargets } from './rank-target.js';
import type { WatchedGroup } from './watched-models.js';

/** Wait before polling a log when no call was left. */
const noCallLeftMs = secondMs;

export interface PollTimes {
  seenAt: Date;
  /** Milliseconds between two count polls, and between two log polls. */
  everyMs: number;
  logMs: number;
  /** Roles last read before this time, in milliseconds since 1970, are read regardless of their counts. */
  sweepBefore: number;
  /** The time to poll instead of now; null: now. */
  postponedTo: Date | null;
}

export function pollTimes(
  { _id: groupId, seenAt: lastSeenAt, logUpTo }: WatchedGroup,
  { interests, logs, logRoundMs }: { interests: RankInterests; logs: Patience | null; logRoundMs: number },
): PollTimes {
  const seenAt = clock.now();
  const targetMs = targetOf(groupId, interests);
  const [everyMs, logMs] = [pollEveryMs(targetMs), logEveryMs(targetMs, logRoundMs)];
  const sweepBefore = seenAt.getTime() - targetMs * sweepEveryTargets;
  // The log is polled between two count polls. While no call is left for it, these are not due yet.
  const countsAt = (lastSeenAt?.getTime() ?? 0) + everyMs;
  const waits = logs === null && logUpTo !== undefined && countsAt > seenAt.getTime();
  const postponedTo = waits ? new Date(Math.min(countsAt, seenAt.getTime() + noCallLeftMs)) : null;
  return { seenAt, everyMs, logMs, sweepBefore, postponedTo };
}

/** Whether all roles except the largest must be read again, regardless of the log. Pure. */
export function isSweepDue(roles: WatchedGroup['roles'], { sweepBefore }: Pick<PollTimes, 'sweepBefore'>): boolean {
  const largest = Math.max(...roles.map(({ members }) => members));
  const others = roles.filter(({ members }) => members < largest);
  return roles.length === 0 || others.some(({ readAt }) => (readAt?.getTime() ?? 0) <= sweepBefore);
}

/** The shortest target among the guilds that name a group, in milliseconds. */
function targetOf(groupId: string, { guildsByGroup, plans }: RankInterests): number {
  const targets = (guildsByGroup.get(groupId) ?? []).map((guildId) => rankTargetMs(plans.get(guildId) ?? 'free'));
  return Math.min(rankTargetMs('free'), ...targets);
}
