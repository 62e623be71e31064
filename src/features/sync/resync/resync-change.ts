import type { GuildFacts } from '../../../platforms/discord/guild-facts.js';
import { type GuildMember, readMember } from '../../../platforms/discord/guild-members.js';
import { type Member, Members } from '../../members/member-model.js';
import { markAbsent } from '../../members/member-service.js';
import type { SyncRecord } from '../../members/member-sync-fields.js';
import { type MemberChange, makeChange, type SyncCause } from '../member/member-change.js';
import { stepAside } from '../member/step-aside.js';
import { postponeSync } from '../member/sync-debts.js';
import { recordSync } from '../member/sync-record.js';
import { blockedAmong, hasWork, isSingle, type SyncPlan, whatIsLeft } from '../plan/plan.js';
import { SyncFacts } from '../plan/went-by.js';
import type { ResyncChange } from './resync-change-model.js';
import { planAgain, type StandingNow, takesAllOf } from './resync-ranks.js';

/** What became of one change. `blocked` is what stood in its way, from the start or by now. */
export interface ChangeOutcome {
  state: 'done' | 'skipped';
  blocked: SyncPlan['blocked'];
  /** The roles that somebody else's sync has taken in its place. */
  remove?: string[];
}

export interface ChangeOptions {
  facts: GuildFacts;
  /** The roles that have become dangerous since they were mapped. */
  heldRoleIds: ReadonlySet<string>;
  /** The roles that count by the guild's rules. */
  roles?: ReadonlySet<string>;
  /** The guild only observes by now. */
  isObserved?: boolean;
  cause: SyncCause;
  lease: MemberChange['lease'];
  /** Only for who is on Discord as the plan saw them. */
  onlyAsSeen: boolean;
  /** Read again, for a plan that is old. */
  standing: StandingNow | null;
}

/**
 * Writes one planned change, if it still holds, in one call (SPEC §6.3). To be called under the member's lease. Done too:
 * who was brought in step by a single sync since the facts of the plan were read. Skipped: who was synced otherwise or
 * whose link changed since then, who left, and who is in step by now. A
 * plan that is old is made again from the member as they are when it is written. Whoever would lose by it what they did
 * not lose by the first one is left to a sync of their own, which asks Roblox twice.
 * Throws Conflict `lease_lost`, DiscordForbids, GoneFromDiscord, ChatPlatformUnavailable.
 */
export async function applyChange(change: ResyncChange, options: ChangeOptions): Promise<ChangeOutcome> {
  const { guildId, chatUserId } = change;
  const { gameUserId } = change.standing;
  const { facts, cause, lease, onlyAsSeen, standing } = options;
  const plan = possibleNow(change, facts, options.heldRoleIds);
  const stored = await Members.findOne({ guildId, chatUserId });
  // The plan is of before the guild began to observe.
  if (options.isObserved === true) return { state: 'skipped', blocked: plan.blocked };
  const settled = settledAs(change, stored, onlyAsSeen);
  if (settled !== null) return { blocked: plan.blocked, ...settled };
  const dueFor = plannerOf(change, plan, stored, options);
  if (dueFor === null) {
    await postponeSync(guildId, chatUserId, 'resync');
    return { state: 'skipped', blocked: plan.blocked };
  }
  const planned = dueFor(asSeen(change));
  // One role is atomic on Discord's side, so that the member need not be read; several are written as read in their turn.
  const mustRead = isSingle(planned) && (onlyAsSeen || standing !== null || stored?.applying !== undefined);
  const member = mustRead ? await readMember(guildId, chatUserId) : asSeen(change);
  const owed = stored?.owedSync?.id === change.jobId ? { debt: stored.owedSync, isOwed: true } : {};
  const { roles } = options;
  const basis = { wentBy: wentByNow(change, stored, standing), ...(roles !== undefined && { roles }) };
  const making = { guildId, chatUserId, stored, gameUserId, cause, lease, dueFor, ...basis, ...owed };
  await stepAside();
  const made = member && (await makeChange(making, member));
  if (made === null) await markAbsent(guildId, chatUserId);
  if (made === null || !hasWork(made.plan)) return { state: 'skipped', blocked: planned.blocked };
  await stepAside();
  await recordSync(making, made);
  return { state: 'done', blocked: made.plan.blocked };
}

/** What a change goes by: what it was planned from, or what was read again. */
function wentByNow({ standing: { gameUserId }, wentBy }: ResyncChange, stored: Member | null, now: StandingNow | null) {
  if (now === null || now.ranks === null) return wentBy;
  const gone = stored?.goneSince !== undefined;
  return new SyncFacts(now.rules, now.readAt).wentBy({ gameUserId, ranks: now.ranks, gone });
}

/** What is due for the member as they are; null when that is left to a sync of their own. */
function plannerOf(
  change: ResyncChange,
  plan: SyncPlan,
  stored: Member | null,
  { facts, onlyAsSeen, standing }: ChangeOptions,
): MemberChange['dueFor'] | null {
  const nothing = { ...plan, add: [], remove: [], nickname: undefined };
  const shown = (now: GuildMember) => (onlyAsSeen && !isAsSeen(now, change) ? nothing : whatIsLeft(plan, now));
  if (standing === null) return shown;
  const { rules, ranks, traits } = standing;
  if (ranks === null) return null;
  const again = (now: GuildMember) => planAgain(now, stored, { rules, ranks, traits, facts });
  if (onlyAsSeen) return (now) => (holdsStill(plan, again(now)) ? shown(now) : nothing);
  const isOurs = (roleId: string) => change.remove.includes(roleId);
  const first = again(asSeen(change));
  if (first.kick !== undefined || !first.remove.every(isOurs)) return null;
  return (now) => {
    // Who would be kicked by now is left to a sync of their own at the next resync.
    const { kick: _, ...due } = again(now);
    return { ...due, remove: due.remove.filter(isOurs) };
  };
}

/** Whether all of a plan would be planned again. */
function holdsStill(plan: SyncPlan, again: SyncPlan): boolean {
  return takesAllOf(plan, again) && plan.add.every((roleId) => again.add.includes(roleId));
}

/** The member as the plan saw them. */
export const asSeen = ({ chatUserId, chatUsername, seen }: ResyncChange): GuildMember => ({
  chatUserId,
  username: chatUsername,
  ...seen,
});

/** The plan without the roles that the bot cannot give or take any more: a role was moved, deleted or became dangerous. */
function possibleNow(change: ResyncChange, facts: GuildFacts, held: ReadonlySet<string>): SyncPlan {
  const { add, remove, nickname, nicknameWaitsFor, sparedFrom, refused } = change;
  const blocked = blockedAmong([...add, ...remove], facts, held);
  const possible = (roleId: string): boolean => blocked.every((block) => block.roleId !== roleId);
  return {
    add: add.filter(possible),
    remove: remove.filter(possible),
    nickname,
    blocked: [...change.blocked, ...blocked],
    nicknameBlocked: null,
    ...(nicknameWaitsFor !== undefined && { nicknameWaitsFor }),
    ...(sparedFrom !== undefined && { sparedFrom }),
    ...(refused !== undefined && { refused }),
  };
}

/**
 * What became of a change without anything left to do: done, when this resync has noted it and was killed before it
 * could say so of the change, or when single syncs have changed the member from newer facts (not of a plan that was
 * shown); skipped, when somebody else has synced them otherwise, or has to: then theirs counts (SPEC §6.5). Null: it is
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
  if (isSince && last?.jobId === jobId) return { state: 'done' };
  const since = member?.syncs.filter(({ at }) => at > asOf) ?? [];
  if (isSince) return (onlyAsSeen ? null : madeBySingles(since)) ?? { state: 'skipped' };
  const isOwed = member?.applying !== undefined && member.owedSync !== undefined && member.owedSync.id !== jobId;
  const isSame = (member?.state ?? null) === standing.state && (member?.gameUserId ?? null) === standing.gameUserId;
  return isOwed || !isSame ? { state: 'skipped' } : null;
}

/** What single syncs have done, if they have changed something. Another resync counts its own. */
function madeBySingles(syncs: readonly SyncRecord[]): Pick<ChangeOutcome, 'state' | 'remove'> | null {
  const made = syncs.filter(
    ({ jobId, added, removed, nickname, error }) =>
      jobId === undefined && error === undefined && (added.length + removed.length > 0 || nickname !== undefined),
  );
  return made.length === 0 ? null : { state: 'done', remove: made.flatMap(({ removed }) => removed) };
}

function isSyncedSince(fence: number | null, member: Member | null): boolean {
  return member?.applying === undefined && (member?.syncFence ?? null) !== fence;
}

function isAsSeen({ roleIds, nickname }: GuildMember, { seen }: ResyncChange): boolean {
  const sameRoles = roleIds.length === seen.roleIds.length && roleIds.every((roleId) => seen.roleIds.includes(roleId));
  return sameRoles && nickname === seen.nickname;
}
