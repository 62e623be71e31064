import { barriersTo } from '../../core/actors/reach.js';
import type { LinkedGroup } from '../../core/groups/group-model.js';
import type { DiscordRole, GuildFacts } from '../../platforms/discord/guild-facts.js';
import type { GameRole } from '../../platforms/roblox/game-groups.js';
import type { Condition } from './condition.js';

/** A mapping's role-related fields, stored or drafted. */
export interface WithRoles {
  condition: Condition;
  roleIds: readonly string[];
  /** The author's highest role: a role named like a rank must be below it. Null: no limit. */
  ceilingRoleId?: string | null;
  /** The roles that a whole group's ranks were matched with, by ids, so that a new name changes nothing (MAP-7). */
  pairs?: readonly RankPair[];
}

export interface RankPair {
  gameRoleId: string;
  roleId: string;
}

/** The facts that a whole-group mapping is resolved with: the server's roles, and the groups with their ranks. */
export interface RoleNames {
  facts: GuildFacts;
  groups: readonly Pick<LinkedGroup, 'groupId' | 'roles'>[];
}

/**
 * The reason why a rank gives no role: no role has its name, several do, or it is not below the mapper's highest
 * (MAP-8).
 */
export const rankProblems = ['no_role', 'several_roles', 'role_above_mapper'] as const;
type RankProblem = (typeof rankProblems)[number];

export interface RankRole {
  rank: GameRole;
  /** The role that it was matched with, even a deleted one, else all roles by its name. */
  roleIds: string[];
  problem: RankProblem | null;
}

/**
 * The ranks in the group that a mapping maps as a whole, lowest first, each with its role (MAP-5, MAP-7). Letter case
 * and outer spaces make no difference between names. Empty for any other mapping. Pure.
 */
export function ranksOf({ condition, ceilingRoleId = null, pairs = [] }: WithRoles, names: RoleNames): RankRole[] {
  if (condition.type !== 'group_roles') return [];
  const { facts, groups } = names;
  const ranks = groups.find(({ groupId }) => groupId === condition.groupId)?.roles ?? [];
  const named = rolesByName(facts);
  const matched = new Map(pairs.map(({ gameRoleId, roleId }) => [gameRoleId, roleId]));
  return ranks
    .filter(({ rank }) => rank > 0)
    .map((rank) => {
      const before = matched.get(rank.gameRoleId);
      const kept = before === undefined ? undefined : facts.roles.get(before);
      const roles = kept === undefined ? (named.get(nameKey(rank.name)) ?? []) : [kept];
      if (before !== undefined && roles.length === 0) return { rank, roleIds: [before], problem: null };
      const roleIds = roles.map(({ roleId }) => roleId);
      return { rank, roleIds, problem: problemOf(roles, ceilingRoleId, facts) };
    });
}

function rolesByName(facts: GuildFacts): Map<string, DiscordRole[]> {
  const named = new Map<string, DiscordRole[]>();
  for (const role of facts.roles.values()) {
    const key = nameKey(role.name);
    if (role.roleId !== facts.guildId) named.set(key, [...(named.get(key) ?? []), role]);
  }
  return named;
}

const nameKey = (name: string): string => name.trim().toLowerCase();

function problemOf(roles: readonly DiscordRole[], ceilingRoleId: string | null, facts: GuildFacts): RankProblem | null {
  const [role, another] = roles;
  if (role === undefined) return 'no_role';
  if (another !== undefined) return 'several_roles';
  return isReached(role, ceilingRoleId, facts) ? null : 'role_above_mapper';
}

/** Dangers are held apart from the reach, until an admin confirms them. */
const isReached = (role: DiscordRole, ceilingRoleId: string | null, facts: GuildFacts): boolean =>
  !barriersTo({ chatUserId: null, ceilingRoleId }, { by: 'rule', role }, facts).includes('above');

/**
 * The mappings, with each whole-group one replaced by one per rank with a role. A rank that Roblox no longer has keeps
 * its role in force, so that its holders lose it (MAP-7). Pure.
 */
export function expanded<Rule extends WithRoles>(rules: readonly Rule[], names: RoleNames): Rule[] {
  return rules.flatMap((rule) => {
    const { condition } = rule;
    if (condition.type !== 'group_roles') return rule;
    const { groupId } = condition;
    return pairsOf(rule, names).map(({ gameRoleId, roleId }) => ({
      ...{ ...rule, condition: { type: 'group_role' as const, groupId, gameRoleId }, roleIds: [roleId] },
    }));
  });
}

/** Each rank with the one role that it gives, and the former ranks with theirs. Pure. */
export function pairsOf(rule: WithRoles, names: RoleNames): RankPair[] {
  const ranks = ranksOf(rule, names);
  const present = ranks.flatMap(({ rank: { gameRoleId }, roleIds: [roleId], problem }) =>
    problem === null && roleId !== undefined ? { gameRoleId, roleId } : [],
  );
  const isThere = new Set(ranks.map(({ rank }) => rank.gameRoleId));
  const { ceilingRoleId = null, pairs = [] } = rule;
  const former = pairs.filter(({ gameRoleId, roleId }) => {
    const role = names.facts.roles.get(roleId);
    return !isThere.has(gameRoleId) && role !== undefined && isReached(role, ceilingRoleId, names.facts);
  });
  return [...present, ...former];
}

export function rolesGiven(rule: WithRoles, names: RoleNames): string[] {
  return [...new Set(expanded([rule], names).flatMap(({ roleIds }) => roleIds))];
}

export const mapsWholeGroup = (rules: readonly WithRoles[]): boolean =>
  rules.some(({ condition }) => condition.type === 'group_roles');
