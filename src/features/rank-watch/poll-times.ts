import { clock } from '../../lib/clock.js';
import { secondMs } from '../../lib/time.js';
import type { Patience } from '../../platforms/roblox/roblox-http.js';
import type { RankInterests } from './rank-interests.js';
import { logEveryMs, lookEveryMs, rankTargetMs, sweepEveryTargets } from './rank-target.js';
import type { WatchedGroup } from './watched-models.js';

/** When to look again at a log for which no call was left. */
const noCallLeftMs = secondMs;

/** When the log, the counts and the roles of a group are looked at. */
export interface GlanceTimes {
  seenAt: Date;
  /** Milliseconds from one look at the counts to the next, and at the log. */
  everyMs: number;
  logMs: number;
  /** Roles that were not read since, in milliseconds since 1970, are read whatever their counts are. */
  sweepBefore: number;
  /** When to look instead of now; null: now. */
  postponedTo: Date | null;
}

export function glanceTimes(
  { _id: groupId, seenAt: lastSeenAt, logUpTo }: WatchedGroup,
  { interests, logs, logRoundMs }: { interests: RankInterests; logs: Patience | null; logRoundMs: number },
): GlanceTimes {
  const seenAt = clock.now();
  const targetMs = targetOf(groupId, interests);
  const [everyMs, logMs] = [lookEveryMs(targetMs), logEveryMs(targetMs, logRoundMs)];
  const sweepBefore = seenAt.getTime() - targetMs * sweepEveryTargets;
  // The log is looked at between two looks at the counts. While no call is left for it, these are not due yet.
  const countsAt = (lastSeenAt?.getTime() ?? 0) + everyMs;
  const waits = logs === null && logUpTo !== undefined && countsAt > seenAt.getTime();
  const postponedTo = waits ? new Date(Math.min(countsAt, seenAt.getTime() + noCallLeftMs)) : null;
  return { seenAt, everyMs, logMs, sweepBefore, postponedTo };
}

/** Whether the roles but the largest are to be read again, whatever the log tells. Pure. */
export function isSweepDue(roles: WatchedGroup['roles'], { sweepBefore }: Pick<GlanceTimes, 'sweepBefore'>): boolean {
  const largest = Math.max(...roles.map(({ members }) => members));
  const others = roles.filter(({ members }) => members < largest);
  return roles.length === 0 || others.some(({ readAt }) => (readAt?.getTime() ?? 0) <= sweepBefore);
}

/** The shortest target among the guilds that name a group, in milliseconds. */
function targetOf(groupId: string, { guildsByGroup, plans }: RankInterests): number {
  const targets = (guildsByGroup.get(groupId) ?? []).map((guildId) => rankTargetMs(plans.get(guildId) ?? 'free'));
  return Math.min(rankTargetMs('free'), ...targets);
}
