import type { Guild } from '../../../core/guilds/guild-service.js';
import { NotFound } from '../../../lib/errors.js';
import type { GuildMember } from '../../../platforms/discord/guild-members.js';
import type { Member } from '../../members/member-model.js';
import { findMember } from '../../members/member-service.js';
import type { SyncRecord } from '../../members/member-sync-fields.js';
import { type LeasedCause, syncCounted } from '../member/member-sync.js';
import { postponeSync } from '../member/sync-retries.js';
import { type CrowdReading, memberStateInCrowd } from '../plan/member-state.js';
import { hasWork, type SyncPlan } from '../plan/plan.js';
import type { PlannedChange } from '../plan/planned-change-model.js';
import { isSyncedSince } from '../plan/planned-changes.js';
import { isOld } from './resync-ranks.js';

/** The result of one change. `blocked` lists its obstacles, from the start or since. */
export interface ChangeOutcome {
  state: 'done' | 'skipped';
  blocked: SyncPlan['blocked'];
  /** Whether another sync has settled the change, so that this resync wrote nothing. */
  isSettled?: true;
  /** The expected parts that were made, by this or by another sync. */
  made?: Made;
}

type Made = NonNullable<PlannedChange['made']>;

export interface ChangeOptions {
  guild: Guild;
  cause: LeasedCause;
  /** Only the changes shown, and only if the member is unchanged on Discord since the plan. */
  onlyAsSeen: boolean;
  reading: ReadingOfChange;
}

/** The facts for planning a change again, and whether its guild is in observe mode now. */
export interface ReadingOfChange extends CrowdReading {
  isObserved: boolean;
}

/**
 * Syncs one member of a resync, within the counted changes (RESYNC-12). Call it under the member's lease.
 * Done also covers a member that a single sync brought in step since the plan was read. Skipped: members that were
 * otherwise synced or relinked since, left, or are now in step. A member that would lose more than was counted is left
 * to a sync of their own, which reads Roblox twice. So is a member without an answer from Roblox.
 * Throws Conflict `lease_lost`, GoneFromDiscord, ChatPlatformUnavailable.
 */
export async function applyChange(change: PlannedChange, options: ChangeOptions): Promise<ChangeOutcome> {
  const { guildId, chatUserId } = change;
  const { guild, cause, onlyAsSeen, reading } = options;
  const stored = await findMember(guildId, chatUserId);
  const skipped = { state: 'skipped', blocked: change.blocked } as const;
  // The plan dates from before the guild began to observe.
  if (reading.isObserved) return skipped;
  const settled = settledAs(change, stored, onlyAsSeen);
  if (settled !== null) return { ...skipped, ...settled, isSettled: true };
  const standing = memberStateInCrowd(stored, reading);
  let isMore = standing === null;
  const limit = (plan: SyncPlan, now: GuildMember): SyncPlan => {
    const due = onlyAsSeen ? asShown(plan, change, now) : plan;
    isMore = !isCounted(due, change);
    return isMore ? nothingOf(plan) : due;
  };
  const seen = stored?.applying === undefined ? asSeen(change) : undefined;
  const counted = { seen, mustRead: onlyAsSeen || isOld(change.asOf), limit };
  const result =
    standing && (await syncCounted(guild, { chatUserId, memberState: standing, counted }, cause).catch(asAbsence));
  if (isMore) await postponeSync(guildId, chatUserId, 'resync');
  if (result === null) return skipped;
  const { added: add, removed: remove, nickname, blocked } = result;
  const made = { add, remove, ...(nickname !== undefined && { nickname }) };
  return hasWork({ nickname, ...made }) ? { state: 'done', blocked, made } : { state: 'skipped', blocked };
}

/** Records a member that has left. */
function asAbsence(error: unknown): null {
  if (error instanceof NotFound) return null;
  throw error;
}

/** Whether a plan takes no more than a change did when it was counted. Pure. */
const isCounted = ({ remove, kick }: SyncPlan, change: PlannedChange): boolean =>
  kick === undefined && remove.every((roleId) => change.expected.remove.includes(roleId));

/**
 * The changes shown, if a new plan from the member's earlier state would contain all of them, except those blocked
 * since; otherwise none. Pure.
 */
function asShown(plan: SyncPlan, { expected, seen }: PlannedChange, now: GuildMember): SyncPlan {
  const { add, remove, nickname } = expected;
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

export const asSeen = ({ chatUserId, chatUsername, seen }: PlannedChange): GuildMember => ({
  chatUserId,
  username: chatUsername,
  ...seen,
});

/**
 * The result of a change with nothing left to do; null: it is still to be made.
 * Done: this resync recorded it before a crash, or single syncs changed the member from newer facts (not for a plan
 * that was shown). Skipped: another sync has changed them otherwise or has to, and takes precedence (RESYNC-16).
 * The fence of the last sync shows whether there was one since, independent of the clock. An interrupted sync leaves
 * `applying` and has recorded nothing.
 */
function settledAs(
  { standing, fence, asOf, planId }: PlannedChange,
  member: Member | null,
  onlyAsSeen: boolean,
): Pick<ChangeOutcome, 'state' | 'made'> | null {
  const last = member?.syncs.findLast(({ error }) => error === undefined);
  const isSince = fence === undefined ? last !== undefined && last.at > asOf : isSyncedSince(fence, member);
  if (isSince && last?.jobId === planId) return { state: 'done', made: madeBy([last]) };
  const since = member?.syncs.filter(({ at }) => at > asOf) ?? [];
  if (isSince) return (onlyAsSeen ? null : madeBySingles(since)) ?? { state: 'skipped' };
  const isPending = member?.applying !== undefined && member.owedSync !== undefined && member.owedSync.id !== planId;
  const gameUserId = member?.state === 'linked' ? (member.gameUserId ?? null) : null;
  return isPending || gameUserId !== standing.gameUserId ? { state: 'skipped' } : null;
}

/** The changes made by single syncs, if any. Another resync counts its own. */
function madeBySingles(syncs: readonly SyncRecord[]): Pick<ChangeOutcome, 'state' | 'made'> | null {
  const made = syncs.filter(
    ({ jobId, added, removed, nickname, error }) =>
      jobId === undefined && error === undefined && (added.length + removed.length > 0 || nickname !== undefined),
  );
  return made.length === 0 ? null : { state: 'done', made: madeBy(made) };
}

/** The changes of some syncs together. Pure. */
function madeBy(syncs: readonly Pick<SyncRecord, 'added' | 'removed' | 'nickname'>[]): Made {
  const { nickname } = syncs.findLast((sync) => sync.nickname !== undefined) ?? {};
  return {
    add: syncs.flatMap(({ added }) => added),
    remove: syncs.flatMap(({ removed }) => removed),
    ...(nickname !== undefined && { nickname }),
  };
}

function isAsSeen({ roleIds, nickname }: GuildMember, seen: PlannedChange['seen']): boolean {
  const sameRoles = roleIds.length === seen.roleIds.length && roleIds.every((roleId) => seen.roleIds.includes(roleId));
  return sameRoles && nickname === seen.nickname;
}
