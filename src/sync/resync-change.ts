import type { GuildFacts } from '../discord/guild-facts.js';
import { type GuildMember, readMember } from '../discord/guild-members.js';
import { roleObstacle } from '../discord/role-hierarchy.js';
import { type Member, Members } from '../members/member-model.js';
import { keepGivenNickname, markAbsent } from '../members/member-service.js';
import { applyPlan } from './apply-plan.js';
import type { SyncPlan } from './plan.js';
import type { ResyncChange } from './resync-change-model.js';
import { reasonOf, recordSync, type SyncCause } from './sync-record.js';

/** What became of one change. `blocked` is what stood in its way, from the start or by now. */
export interface ChangeOutcome {
  state: 'done' | 'skipped';
  blocked: SyncPlan['blocked'];
}

export interface ChangeOptions {
  facts: GuildFacts;
  cause: SyncCause;
  /** It may have been made already, by a try whose outcome is not known. */
  uncertain: boolean;
  /** Only for who is on Discord as the plan saw them. */
  onlyAsSeen: boolean;
}

/**
 * Writes one planned change, if it still holds, in one call (SPEC §6.3). To be called under the member's lease. Skipped:
 * who was synced or whose link changed since the facts of the plan were read, who left, and who is in step by now.
 * Throws DiscordForbids, GoneFromDiscord, ChatPlatformUnavailable.
 */
export async function applyChange(change: ResyncChange, options: ChangeOptions): Promise<ChangeOutcome> {
  const { guildId, chatUserId } = change;
  const plan = possibleNow(change, options.facts);
  const { blocked } = plan;
  const stored = await Members.findOne({ guildId, chatUserId });
  if (isMade(change, stored)) return { state: 'done', blocked };
  if (isOvertaken(change, stored)) return { state: 'skipped', blocked };
  const seen = { chatUserId, username: change.chatUsername, ...change.seen };
  const mustRead = !isSingle(plan) || options.uncertain || options.onlyAsSeen;
  const member = mustRead ? await readMember(guildId, chatUserId) : seen;
  if (member === null) {
    await markAbsent(guildId, chatUserId);
    return { state: 'skipped', blocked };
  }
  const due = remaining(plan, member);
  if (isEmpty(due)) {
    // When all that a try of unknown outcome wanted is true now, it was us.
    if (isEmpty(plan) || !options.uncertain) return { state: 'skipped', blocked };
    await recordSync({ guildId, member: seen, plan, game: null }, options.cause);
    return { state: 'done', blocked };
  }
  if (options.onlyAsSeen && !isAsSeen(member, change)) return { state: 'skipped', blocked };
  if (typeof due.nickname === 'string') await keepGivenNickname(guildId, chatUserId, due.nickname);
  await applyPlan(guildId, member, due, reasonOf(options.cause));
  await recordSync({ guildId, member, plan: due, game: null }, options.cause);
  return { state: 'done', blocked };
}

/** The plan without the roles that the bot cannot give or take any more: a role was moved or deleted meanwhile. */
function possibleNow(change: ResyncChange, facts: GuildFacts): SyncPlan {
  const { add, remove, nickname } = change;
  const blocked = [...add, ...remove].flatMap((roleId) => {
    const reason = roleObstacle(facts, roleId);
    return reason === null ? [] : [{ roleId, reason }];
  });
  const possible = (roleId: string): boolean => blocked.every((block) => block.roleId !== roleId);
  return {
    add: add.filter(possible),
    remove: remove.filter(possible),
    nickname,
    blocked: [...change.blocked, ...blocked],
    nicknameBlocked: null,
  };
}

/** Whether this very change is written down already: the process was killed before it could say so of the change. */
function isMade({ asOf }: ResyncChange, member: Member | null): boolean {
  const last = member?.syncs.at(-1);
  return last !== undefined && last.at > asOf && last.trigger === 'resync' && last.error === undefined;
}

/** Whether somebody else has synced the member from newer facts, or has to: then theirs counts (SPEC §6.5). */
function isOvertaken({ standing, asOf }: ResyncChange, member: Member | null): boolean {
  const lastSync = member?.syncs.at(-1)?.at;
  if (lastSync !== undefined && lastSync > asOf) return true;
  return (member?.state ?? null) !== standing.state || (member?.gameUserId ?? null) !== standing.gameUserId;
}

function remaining(plan: SyncPlan, { roleIds, nickname }: GuildMember): SyncPlan {
  return {
    ...plan,
    add: plan.add.filter((roleId) => !roleIds.includes(roleId)),
    remove: plan.remove.filter((roleId) => roleIds.includes(roleId)),
    nickname: plan.nickname === nickname ? undefined : plan.nickname,
  };
}

const isSingle = ({ add, remove, nickname }: SyncPlan): boolean =>
  add.length + remove.length === 1 && nickname === undefined;

const isEmpty = ({ add, remove, nickname }: SyncPlan): boolean =>
  add.length + remove.length === 0 && nickname === undefined;

function isAsSeen({ roleIds, nickname }: GuildMember, { seen }: ResyncChange): boolean {
  const sameRoles = roleIds.length === seen.roleIds.length && roleIds.every((roleId) => seen.roleIds.includes(roleId));
  return sameRoles && nickname === seen.nickname;
}
