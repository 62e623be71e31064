import type { RestrictionRule } from '../../../core/settings/restrictions.js';
import { type DiscordRole, type GuildFacts, isAbove } from '../../../platforms/discord/guild-facts.js';
import { mayKick, mayManageNicknames } from '../../../platforms/discord/permissions.js';
import { type BlockReason, type NicknameObstacle, roleObstacle } from '../../../platforms/discord/role-hierarchy.js';
import { leftOutItself } from '../../members/left-out.js';
import type { RefusedPart, SyncRecord } from '../../members/member-sync-fields.js';
import { obstacleOfRefusal, storedRefusal } from './refused-parts.js';
import type { SeenMember } from './seen-member.js';

/** One mapping's result for one member. `undecided`: its groups could not be judged, so its roles stay unchanged. */
export interface MappingVerdict {
  roleIds: readonly string[];
  removeWhenUnmatched: boolean;
  verdict: 'matched' | 'unmatched' | 'undecided';
  /** Its roles that have become dangerous: it neither gives nor takes them (AUTH-40). */
  heldRoleIds?: readonly string[];
  /** Its roles for which it rests on facts by a word that may not give or take them (FACT-14). */
  beyondRoleIds?: readonly string[];
}

/** The due nickname: a text, or `null` to remove it; undefined leaves it unchanged. */
export type NicknameWish = string | null | undefined;

export interface PlanInput {
  member: Pick<SeenMember, 'chatUserId' | 'nickname' | 'roleIds' | 'profile'> & { username?: string };
  /** Verdicts on the enabled mappings only. Roles without an enabled mapping are never touched (MAP-14). */
  verdicts: readonly MappingVerdict[];
  nickname: NicknameWish;
  /** False if unlinking keeps the roles (SYNC-12). */
  mayRemove: boolean;
  /** Whether a role they hold keeps their roles unchanged, regardless of mappings (RESTR-5). */
  keepsRoles: boolean;
  /** Whether an admin leaves them out (OBS-117). Their roles are kept then. */
  isLeftOut?: boolean;
  /** Whether they must accept the guild's rules before they get roles (SYNC-49). */
  waitsForRules?: boolean;
  /** Discord's recent refusals. A refused part is not asked again before something about it has changed. */
  refused?: readonly RefusedPart[];
  /** Whether a role is beyond the guild's word on which the link rests (AUTH-62). Absent for a proof. */
  isBeyondWord?: (roleId: string) => boolean;
  /** The restriction for which they are to be kicked, if the bot may. */
  kickFor?: RestrictionRule;
  /** The restriction that spares them because its writer is not above them. */
  sparedFrom?: RestrictionRule;
  facts: GuildFacts;
}

/** A sync's changes. Planning again after them gives an empty plan. */
export interface SyncPlan {
  add: string[];
  remove: string[];
  nickname: NicknameWish;
  /** Due role changes that the bot cannot make, with reasons (SYNC-24). */
  blocked: SyncRecord['blocked'];
  nicknameBlocked: NicknameObstacle | null;
  /** They get roles once they have accepted the guild's rules. */
  waitsForRules?: true;
  /** The parts that Discord refuses. They are included in `blocked`. */
  refused?: RefusedPart[];
  /** The nickname's obstacle: see `obstaclesOf`. Absent if nothing would help. */
  nicknameWaitsFor?: string;
  /** The restriction that they are kicked for. Nothing else is done then (RESTR-6). */
  kick?: RestrictionRule;
  /** The restriction that waits for the owner's confirmation: the member is above its writer (RESTR-15). */
  sparedFrom?: RestrictionRule;
  /** An admin leaves them out, so that nothing is due (OBS-117). */
  leftOut?: true;
  /** Whether its removals wait for an admin (SYNC-11). Role removals are included in `blocked`. */
  heldRemovals?: true;
}

/** The obstacle for a member with removals that wait for an admin. */
export const heldRemoval = 'removal';

/** A plan with removals that wait for an admin: nothing is taken, and nobody is kicked. Pure. */
export function withoutRemovals({ kick: _, ...plan }: SyncPlan): SyncPlan {
  const held = plan.remove.map((roleId) => ({ roleId, reason: 'removal_limit' as const }));
  return { ...plan, remove: [], blocked: [...plan.blocked, ...held], heldRemovals: true };
}

/**
 * The obstacles to a plan's remaining part: ids of blocked roles; `nickname` for the permission to rename;
 * `nickname:<role id>` for the member's highest role, which is not below the bot's; `restriction:<rule>` for one that
 * waits for the owner's confirmation; `left_out` for a person left out; `removal` for removals that wait for an admin;
 * `word` for roles beyond a link's word; `refused:…` for Discord's refusal. Pure.
 */
export function obstaclesOf({
  blocked,
  nicknameWaitsFor,
  sparedFrom,
  heldRemovals,
  leftOut,
  refused = [],
}: Pick<SyncPlan, 'blocked' | 'nicknameWaitsFor' | 'sparedFrom' | 'heldRemovals' | 'leftOut' | 'refused'>): string[] {
  return [
    ...blocked.flatMap(({ roleId, reason }) => (freedOtherwise.has(reason) ? [] : roleId)),
    ...(leftOut === true ? [leftOutItself] : []),
    ...(heldRemovals === true ? [heldRemoval] : []),
    ...(blocked.some(({ reason }) => reason === 'beyond_word') ? [obstacleOfWord] : []),
    ...(nicknameWaitsFor === undefined ? [] : [nicknameWaitsFor]),
    ...(sparedFrom === undefined ? [] : [obstacleOfRestriction(sparedFrom)]),
    ...refused.map(obstacleOfRefusal),
  ];
}

/** The reasons that have their own obstacle, since changing the role doesn't free them. */
const freedOtherwise: ReadonlySet<BlockReason> = new Set(['refused_by_discord', 'removal_limit', 'beyond_word']);

/** The obstacle for roles beyond a link's word. */
export const obstacleOfWord = 'word';

/** A plan with Discord's refusals: the rest stays due, and the refused parts are blocked. Pure. */
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

/** The nickname that Discord has refused, with Discord's words. Pure. */
export function refusedNicknameOf({ refused = [] }: Pick<SyncPlan, 'refused'>): SyncRecord['nicknameRefused'] {
  const found = refused.find(({ part }) => part === 'nickname');
  return found && { nickname: found.name, detail: found.words };
}

export const obstacleOfRestriction = (rule: RestrictionRule): string => `restriction:${rule}`;

/**
 * The obstacles that no longer block anyone in this guild, among all that `obstaclesOf` may name; `roleIds` are the
 * mapped ones.
 */
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

export function hasWork({
  add,
  remove,
  nickname,
  kick,
}: Pick<SyncPlan, 'add' | 'remove' | 'nickname' | 'kick'>): boolean {
  return add.length + remove.length > 0 || nickname !== undefined || kick !== undefined;
}

/** Whether a plan is a single role, which Discord gives and takes atomically. */
export function isSingle({ add, remove, nickname }: Pick<SyncPlan, 'add' | 'remove' | 'nickname'>): boolean {
  return add.length + remove.length === 1 && nickname === undefined;
}

/** The plan part that a member, as they are now, still lacks. */
export function whatIsLeft(plan: SyncPlan, { roleIds, nickname }: Pick<SeenMember, 'roleIds' | 'nickname'>): SyncPlan {
  return {
    ...plan,
    add: plan.add.filter((roleId) => !roleIds.includes(roleId)),
    remove: plan.remove.filter((roleId) => roleIds.includes(roleId)),
    nickname: plan.nickname === nickname ? undefined : plan.nickname,
  };
}

/**
 * The roles among these that are neither given nor taken, with reasons; `held` are those that have become dangerous.
 * `isBeyondWord` tells those beyond a link's word.
 */
export function blockedAmong(
  roleIds: readonly string[],
  facts: GuildFacts,
  held: ReadonlySet<string>,
  isBeyondWord: (roleId: string) => boolean = () => false,
): SyncPlan['blocked'] {
  return roleIds.flatMap((roleId) => {
    const waits = held.has(roleId) ? 'became_dangerous' : isBeyondWord(roleId) ? 'beyond_word' : null;
    const reason = roleObstacle(facts, roleId) ?? waits;
    return reason === null ? [] : [{ roleId, reason }];
  });
}

/** Plans one member's sync (SYNC-1). Pure; neither mapping order nor role order matters. */
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
  const blocked = blockedAmong([...missing, ...excess].sort(), facts, heldBy(verdicts), beyondIn(input));
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
    ...(input.isLeftOut === true && { leftOut: true as const }),
  };
  return withRefusals(plan, refusalsOf(plan, input));
}

/** The plan parts that Discord has refused recently, and would again. */
function refusalsOf({ add, remove, nickname }: SyncPlan, { refused = [], member, facts }: PlanInput): RefusedPart[] {
  if (refused.length === 0) return [];
  const { username = '', profile } = member;
  const named = { username, ...(profile !== undefined && { profile }) };
  return [
    ...add.map((roleId) => ({ part: 'give' as const, roleId })),
    ...remove.map((roleId) => ({ part: 'take' as const, roleId })),
    ...(nickname === undefined ? [] : [{ part: 'nickname' as const, nickname, member: named }]),
  ].flatMap((part) => storedRefusal(refused, part, facts) ?? []);
}

/** Tells the roles beyond a word: that of the link, or that of the facts on which their mappings rest. */
function beyondIn({ verdicts, isBeyondWord }: PlanInput): ((roleId: string) => boolean) | undefined {
  const resting = new Set(verdicts.flatMap(({ beyondRoleIds = [] }) => beyondRoleIds));
  for (const { roleIds, verdict, beyondRoleIds = [] } of resting.size === 0 ? [] : verdicts) {
    if (verdict === 'matched') for (const id of roleIds) if (!beyondRoleIds.includes(id)) resting.delete(id);
  }
  return resting.size === 0 ? isBeyondWord : (roleId) => resting.has(roleId) || isBeyondWord?.(roleId) === true;
}

/** The roles held by some mapping, except for those that another mapping has confirmed. */
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

/**
 * A nickname's obstacle: Discord allows nobody to rename the owner, and a bot only members whose highest role is below
 * its own.
 */
export function nicknameObstacle(member: PlanInput['member'], facts: GuildFacts): NicknameObstacle | null {
  if (member.chatUserId === facts.ownerId) return 'guild_owner';
  if (!mayManageNicknames(facts.bot.permissions)) return 'missing_permission';
  const highest = highestRoleOf(member, facts);
  return highest === undefined || isAbove(facts.bot.highestRole, highest) ? null : 'member_above_bot';
}

/** Whether the bot may kick a member: never the owner, and only members whose highest role is below its own. */
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
