import type { RestrictionRule } from '../../../core/settings/restrictions.js';
import { type DiscordRole, type GuildFacts, isAbove } from '../../../platforms/discord/guild-facts.js';
import type { GuildMember } from '../../../platforms/discord/guild-members.js';
import { mayKick, mayManageNicknames } from '../../../platforms/discord/permissions.js';
import { type NicknameObstacle, roleObstacle } from '../../../platforms/discord/role-hierarchy.js';
import type { RefusedPart, SyncRecord } from '../../members/member-sync-fields.js';
import { obstacleOfRefusal, standingRefusal } from './refused-parts.js';

/** What one mapping means for one member. `undecided`: its groups could not be judged, so its roles stay as they are. */
export interface MappingVerdict {
  roleIds: readonly string[];
  removeWhenUnmatched: boolean;
  verdict: 'matched' | 'unmatched' | 'undecided';
  /** Those of its roles that have become dangerous: it neither gives nor takes them (AUTH-40). */
  heldRoleIds?: readonly string[];
}

/** A wish for the nickname: a text, `null` to take it away; undefined leaves it alone. */
export type NicknameWish = string | null | undefined;

export interface PlanInput {
  member: Pick<GuildMember, 'chatUserId' | 'nickname' | 'profile'> & {
    roleIds: readonly string[];
    username?: string;
  };
  /** Of the enabled mappings only: roles that nothing enabled names are never touched (MAP-14). */
  verdicts: readonly MappingVerdict[];
  nickname: NicknameWish;
  /** False when unlinking shall leave roles as they are (SYNC-12). */
  mayRemove: boolean;
  /** Whether a role of theirs lets them keep their roles as they are, whatever mappings say (RESTR-5). */
  keepsRoles: boolean;
  /** Whether they have to accept the rules of the guild before they get roles (SYNC-49). */
  waitsForRules?: boolean;
  /** What Discord has refused of them lately: not to be asked again before something of it has changed. */
  refused?: readonly RefusedPart[];
  /** The restriction for which they are to be kicked, where the bot may. */
  kickFor?: RestrictionRule;
  /** The restriction that spares them, since its writer does not stand above them. */
  sparedFrom?: RestrictionRule;
  facts: GuildFacts;
}

/** What a sync has to do. Planning again after it is done gives an empty plan. */
export interface SyncPlan {
  add: string[];
  remove: string[];
  nickname: NicknameWish;
  /** Role changes that are due and that the bot cannot make, and why (SYNC-24). */
  blocked: SyncRecord['blocked'];
  nicknameBlocked: NicknameObstacle | null;
  /** They get roles once they have accepted the rules of the guild. */
  waitsForRules?: true;
  /** The parts that Discord refuses: they are among what is blocked. */
  refused?: RefusedPart[];
  /** What has to change before the nickname can: see `obstaclesOf`. Left out when nothing would help. */
  nicknameWaitsFor?: string;
  /** They are kicked for this, and nothing else is done (RESTR-6). */
  kick?: RestrictionRule;
  /** This restriction awaits the owner's word: they stand above who wrote it (RESTR-15). */
  sparedFrom?: RestrictionRule;
}

/**
 * What has to change on Discord before the rest of a plan can be done: ids of roles that are blocked; `nickname` for the
 * permission to rename; `nickname:<role id>` for the member's highest role, which is not below the bot's;
 * `restriction:<rule>` for one that awaits the owner's word; `refused:…` for what Discord has refused. Pure.
 */
export function obstaclesOf({
  blocked,
  nicknameWaitsFor,
  sparedFrom,
  refused = [],
}: Pick<SyncPlan, 'blocked' | 'nicknameWaitsFor' | 'sparedFrom' | 'refused'>): string[] {
  return [
    ...blocked.flatMap(({ roleId, reason }) => (reason === 'refused_by_discord' ? [] : roleId)),
    ...(nicknameWaitsFor === undefined ? [] : [nicknameWaitsFor]),
    ...(sparedFrom === undefined ? [] : [obstacleOfRestriction(sparedFrom)]),
    ...refused.map(obstacleOfRefusal),
  ];
}

/** A plan of which Discord has refused these parts: what is due of the rest, and what is blocked besides. Pure. */
export function withRefusals(plan: SyncPlan, refused: readonly RefusedPart[]): SyncPlan {
  if (refused.length === 0) return plan;
  const isPossible = (part: RefusedPart['part']) => (roleId: string) =>
    !refused.some((each) => each.part === part && each.roleId === roleId);
  const blocked = refused.flatMap(({ roleId, name, words: detail }) =>
    roleId === undefined ? [] : { roleId, reason: 'refused_by_discord' as const, roleName: name ?? roleId, detail },
  );
  const isNicknameRefused = refused.some(({ part }) => part === 'nickname');
  return {
    ...plan,
    add: plan.add.filter(isPossible('give')),
    remove: plan.remove.filter(isPossible('take')),
    blocked: [...plan.blocked, ...blocked],
    ...(isNicknameRefused && { nickname: undefined, nicknameBlocked: 'refused_by_discord' as const }),
    refused: [...(plan.refused ?? []), ...refused],
  };
}

/** The nickname that Discord has refused, and what it says. Pure. */
export function refusedNicknameOf({ refused = [] }: Pick<SyncPlan, 'refused'>): SyncRecord['nicknameRefused'] {
  const found = refused.find(({ part }) => part === 'nickname');
  return found && { nickname: found.name, detail: found.words };
}

export const obstacleOfRestriction = (rule: RestrictionRule): string => `restriction:${rule}`;

/** Of all that `obstaclesOf` may name in a guild, what stands in nobody's way (any more); `roleIds` are the mapped ones. */
export function freeObstacles(facts: GuildFacts, roleIds: readonly string[], held: ReadonlySet<string>): string[] {
  const blocked = new Set(blockedAmong(roleIds, facts, held).map(({ roleId }) => roleId));
  if (!mayManageNicknames(facts.bot.permissions)) return roleIds.filter((roleId) => !blocked.has(roleId));
  const below = [...facts.roles.values()].filter((role) => isAbove(facts.bot.highestRole, role));
  return [
    ...roleIds.filter((roleId) => !blocked.has(roleId)),
    'nickname',
    ...below.map(({ roleId }) => `nickname:${roleId}`),
  ];
}

/** Whether there is anything to be written to Discord. */
export function hasWork({
  add,
  remove,
  nickname,
  kick,
}: Pick<SyncPlan, 'add' | 'remove' | 'nickname' | 'kick'>): boolean {
  return add.length + remove.length > 0 || nickname !== undefined || kick !== undefined;
}

/** Whether it is one role, which Discord gives and takes atomically. */
export function isSingle({ add, remove, nickname }: Pick<SyncPlan, 'add' | 'remove' | 'nickname'>): boolean {
  return add.length + remove.length === 1 && nickname === undefined;
}

/** What of a plan a member, as they are now, does not have yet. */
export function whatIsLeft(plan: SyncPlan, { roleIds, nickname }: Pick<GuildMember, 'roleIds' | 'nickname'>): SyncPlan {
  return {
    ...plan,
    add: plan.add.filter((roleId) => !roleIds.includes(roleId)),
    remove: plan.remove.filter((roleId) => roleIds.includes(roleId)),
    nickname: plan.nickname === nickname ? undefined : plan.nickname,
  };
}

/** The roles among these that are neither given nor taken, and why; `held` are those that have become dangerous. */
export function blockedAmong(
  roleIds: readonly string[],
  facts: GuildFacts,
  held: ReadonlySet<string>,
): SyncPlan['blocked'] {
  return roleIds.flatMap((roleId) => {
    const reason = roleObstacle(facts, roleId) ?? (held.has(roleId) ? 'became_dangerous' : null);
    return reason === null ? [] : [{ roleId, reason }];
  });
}

/** Plans the sync of one member (SYNC-1). Pure; neither the order of mappings nor of roles matters. */
export function planSync(input: PlanInput): SyncPlan {
  const { member, verdicts, nickname, mayRemove, keepsRoles, kickFor, sparedFrom, facts } = input;
  if (kickFor !== undefined && !keepsRoles && mayKickMember(member, facts)) {
    return { add: [], remove: [], nickname: undefined, blocked: [], nicknameBlocked: null, kick: kickFor };
  }
  const held = new Set(member.roleIds);
  const desired = rolesOf(verdicts, ({ verdict }) => verdict === 'matched');
  const kept = rolesOf(verdicts, ({ verdict, removeWhenUnmatched }) => verdict === 'undecided' || !removeWhenUnmatched);
  const managed = rolesOf(verdicts, () => true);
  const lacking = keepsRoles ? [] : [...desired].filter((roleId) => !held.has(roleId));
  const waits = input.waitsForRules === true && lacking.length > 0;
  const missing = waits ? [] : lacking;
  const excess =
    mayRemove && !keepsRoles ? [...managed].filter((id) => held.has(id) && !desired.has(id) && !kept.has(id)) : [];
  const blocked = blockedAmong([...missing, ...excess].sort(), facts, heldBy(verdicts));
  const possible = (roleId: string): boolean => blocked.every((block) => block.roleId !== roleId);
  const nicknameDue = nickname !== undefined && nickname !== member.nickname;
  const nicknameBlocked = nicknameDue ? nicknameObstacle(member, facts) : null;
  const nicknameWaitsFor = nicknameBlocked === null ? undefined : whatNicknameAwaits(nicknameBlocked, member, facts);
  const plan = {
    add: missing.filter(possible).sort(),
    remove: excess.filter(possible).sort(),
    nickname: nicknameDue && nicknameBlocked === null ? nickname : undefined,
    blocked,
    nicknameBlocked,
    ...(nicknameWaitsFor !== undefined && { nicknameWaitsFor }),
    ...(sparedFrom !== undefined && !keepsRoles && { sparedFrom }),
    ...(waits && { waitsForRules: true as const }),
  };
  return withRefusals(plan, refusalsOf(plan, input));
}

/** What of a plan Discord has refused lately, and would again. */
function refusalsOf({ add, remove, nickname }: SyncPlan, { refused = [], member, facts }: PlanInput): RefusedPart[] {
  if (refused.length === 0) return [];
  const { username = '', profile } = member;
  const named = { username, ...(profile !== undefined && { profile }) };
  return [
    ...add.map((roleId) => ({ part: 'give' as const, roleId })),
    ...remove.map((roleId) => ({ part: 'take' as const, roleId })),
    ...(nickname === undefined ? [] : [{ part: 'nickname' as const, nickname, member: named }]),
  ].flatMap((part) => standingRefusal(refused, part, facts) ?? []);
}

/** Of a role that one mapping holds, another may be confirmed: what that one gives is given. */
function heldBy(verdicts: readonly MappingVerdict[]): Set<string> {
  const held = new Set(verdicts.flatMap(({ heldRoleIds = [] }) => heldRoleIds));
  for (const { roleIds, verdict, heldRoleIds = [] } of verdicts) {
    if (verdict === 'matched') for (const id of roleIds) if (!heldRoleIds.includes(id)) held.delete(id);
  }
  return held;
}

function rolesOf(verdicts: readonly MappingVerdict[], among: (verdict: MappingVerdict) => boolean): Set<string> {
  return new Set(verdicts.filter(among).flatMap(({ roleIds }) => roleIds));
}

/** Discord lets nobody rename the owner, nor a bot somebody whose highest role is not below its own. */
function nicknameObstacle(member: PlanInput['member'], facts: GuildFacts): NicknameObstacle | null {
  if (member.chatUserId === facts.ownerId) return 'guild_owner';
  if (!mayManageNicknames(facts.bot.permissions)) return 'missing_permission';
  const highest = highestRoleOf(member, facts);
  return highest === undefined || isAbove(facts.bot.highestRole, highest) ? null : 'member_above_bot';
}

/** Discord lets nobody kick the owner, nor a bot somebody whose highest role is not below its own. */
function mayKickMember(member: PlanInput['member'], facts: GuildFacts): boolean {
  if (member.chatUserId === facts.ownerId || !mayKick(facts.bot.permissions)) return false;
  const highest = highestRoleOf(member, facts);
  return highest === undefined || isAbove(facts.bot.highestRole, highest);
}

function whatNicknameAwaits(
  obstacle: NicknameObstacle,
  member: PlanInput['member'],
  facts: GuildFacts,
): string | undefined {
  if (obstacle === 'guild_owner') return undefined;
  return obstacle === 'missing_permission' ? 'nickname' : `nickname:${highestRoleOf(member, facts)?.roleId}`;
}

function highestRoleOf({ roleIds }: PlanInput['member'], facts: GuildFacts): DiscordRole | undefined {
  const [first, ...others] = roleIds.flatMap((roleId) => facts.roles.get(roleId) ?? []);
  return others.reduce((highest, role) => (highest && isAbove(highest, role) ? highest : role), first);
}
