import type { Guild } from '../../../core/guilds/guild-service.js';
import { NotFound } from '../../../lib/errors.js';
import type { GuildMember } from '../../../platforms/discord/guild-members.js';
import type { Member } from '../../members/member-model.js';
import { findMember } from '../../members/member-service.js';
import type { SyncRecord } from '../../members/member-sync-fields.js';
import { type LeasedCause, syncCounted } from '../member/member-sync.js';
import { postponeSync } from '../member/sync-debts.js';
import { type CrowdReading, standingInCrowd } from '../plan/member-standing.js';
import { hasWork, type SyncPlan } from '../plan/plan.js';
import type { ResyncChange } from './resync-change-model.js';
import { isSyncedSince } from './resync-changes.js';
import { isOld } from './resync-ranks.js';

/** What became of one change. `blocked` is what stood in its way, from the start or by now. */
export interface ChangeOutcome {
  state: 'done' | 'skipped';
  blocked: SyncPlan['blocked'];
  /** This resync wrote nothing: somebody else has settled it. */
  isSettled?: true;
  /** The roles that were taken, by this or by others. */
  remove?: string[];
}

export interface ChangeOptions {
  guild: Guild;
  cause: LeasedCause;
  /** What was shown, and only for who is on Discord as the plan saw them. */
  onlyAsSeen: boolean;
  reading: ReadingOfChange;
}

/** What a change is planned by again, and whether its guild only observes now. */
export interface ReadingOfChange extends CrowdReading {
  isObserved: boolean;
}

/**
 * Syncs one member of a resync, and does no more than was counted of them (RESYNC-12). To be called under the member's
 * lease. Done too: who was brought in step by a single sync since the facts of the plan were read. Skipped: who was synced
 * otherwise or whose link changed since then, who left, and who is in step by now. Whoever would lose more than was
 * counted, or of whom Roblox says nothing, is left to a sync of their own, which asks Roblox twice.
 * Throws Conflict `lease_lost`, GoneFromDiscord, ChatPlatformUnavailable.
 */
export async function applyChange(change: ResyncChange, options: ChangeOptions): Promise<ChangeOutcome> {
  const { guildId, chatUserId } = change;
  const { guild, cause, onlyAsSeen, reading } = options;
  const stored = await findMember(guildId, chatUserId);
  const skipped = { state: 'skipped', blocked: change.blocked } as const;
  // The plan is of before the guild began to observe.
  if (reading.isObserved) return skipped;
  const settled = settledAs(change, stored, onlyAsSeen);
  if (settled !== null) return { ...skipped, ...settled, isSettled: true };
  const standing = standingInCrowd(stored, reading);
  let isMore = standing === null;
  const limit = (plan: SyncPlan, now: GuildMember): SyncPlan => {
    const due = onlyAsSeen ? asShown(plan, change, now) : plan;
    isMore = !isCounted(due, change);
    return isMore ? nothingOf(plan) : due;
  };
  const seen = stored?.applying === undefined ? asSeen(change) : undefined;
  const counted = { seen, mustRead: onlyAsSeen || isOld(change.asOf), limit };
  const result = standing && (await syncCounted(guild, { chatUserId, standing, counted }, cause).catch(asAbsence));
  if (isMore) await postponeSync(guildId, chatUserId, 'resync');
  if (result === null) return skipped;
  const { added, removed, nickname, blocked } = result;
  return hasWork({ add: added, remove: removed, nickname })
    ? { state: 'done', blocked, remove: removed }
    : { state: 'skipped', blocked };
}

/** Who has left is noted so. */
function asAbsence(error: unknown): null {
  if (error instanceof NotFound) return null;
  throw error;
}

/** Whether a plan takes no more than a change did when it was counted. Pure. */
const isCounted = ({ remove, kick }: SyncPlan, change: ResyncChange): boolean =>
  kick === undefined && remove.every((roleId) => change.remove.includes(roleId));

/**
 * What was shown, if all of it would be planned again for who is as they were then, but for what is blocked by now; or
 * else nothing. Pure.
 */
function asShown(plan: SyncPlan, { add, remove, nickname, seen }: ResyncChange, now: GuildMember): SyncPlan {
  const isDue = (roleIds: readonly string[]) => (roleId: string) => roleIds.includes(roleId);
  const isBlocked = (roleId: string) => plan.blocked.some((block) => block.roleId === roleId);
  const due = {
    ...plan,
    add: add.filter(isDue(plan.add)),
    remove: remove.filter(isDue(plan.remove)),
    nickname: nickname === plan.nickname ? nickname : undefined,
  };
  const isNamed = nickname === due.nickname || plan.nicknameBlocked !== null;
  const missing = [...add, ...remove].filter((roleId) => !isDue([...due.add, ...due.remove])(roleId));
  return isNamed && missing.every(isBlocked) && isAsSeen(now, seen) ? due : nothingOf(plan);
}

const nothingOf = ({ kick: _, ...plan }: SyncPlan): SyncPlan => ({ ...plan, add: [], remove: [], nickname: undefined });

/** The member as the plan saw them. */
export const asSeen = ({ chatUserId, chatUsername, seen }: ResyncChange): GuildMember => ({
  chatUserId,
  username: chatUsername,
  ...seen,
});

/**
 * What became of a change without anything left to do: done, when this resync has noted it and was killed before it
 * could say so of the change, or when single syncs have changed the member from newer facts (not of a plan that was
 * shown); skipped, when somebody else has synced them otherwise, or has to: then theirs counts (RESYNC-16). Null: it is
 * still to be made. The fence of the last sync says whether there was one since, whatever became of the clock; of one that
 * was interrupted `applying` is left, and it has noted nothing.
 */
function settledAs(
  { standing, fence, asOf, jobId }: ResyncChange,
  member: Member | null,
  onlyAsSeen: boolean,
): Pick<ChangeOutcome, 'state' | 'remove'> | null {
  const last = member?.syncs.findLast(({ error }) => error === undefined);
  const isSince = fence === undefined ? last !== undefined && last.at > asOf : isSyncedSince(fence, member);
  if (isSince && last?.jobId === jobId) return { state: 'done', remove: last.removed };
  const since = member?.syncs.filter(({ at }) => at > asOf) ?? [];
  if (isSince) return (onlyAsSeen ? null : madeBySingles(since)) ?? { state: 'skipped' };
  const isOwed = member?.applying !== undefined && member.owedSync !== undefined && member.owedSync.id !== jobId;
  const gameUserId = member?.state === 'linked' ? (member.gameUserId ?? null) : null;
  return isOwed || gameUserId !== standing.gameUserId ? { state: 'skipped' } : null;
}

/** What single syncs have done, if they have changed something. Another resync counts its own. */
function madeBySingles(syncs: readonly SyncRecord[]): Pick<ChangeOutcome, 'state' | 'remove'> | null {
  const made = syncs.filter(
    ({ jobId, added, removed, nickname, error }) =>
      jobId === undefined && error === undefined && (added.length + removed.length > 0 || nickname !== undefined),
  );
  return made.length === 0 ? null : { state: 'done', remove: made.flatMap(({ removed }) => removed) };
}

function isAsSeen({ roleIds, nickname }: GuildMember, seen: ResyncChange['seen']): boolean {
  const sameRoles = roleIds.length === seen.roleIds.length && roleIds.every((roleId) => seen.roleIds.includes(roleId));
  return sameRoles && nickname === seen.nickname;
}
