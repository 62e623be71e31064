import { reachBelow } from '../../core/actors/role-reach.js';
import type { LinkedGroup } from '../../core/groups/group-model.js';
import type { DiscordRole, GuildFacts } from '../../platforms/discord/guild-facts.js';
import type { GameRole } from '../../platforms/roblox/game-groups.js';
import type { Condition } from './condition.js';

/** The role-related fields of a mapping, stored or drafted. */
export interface WithRoles {
  condition: Condition;
  roleIds: readonly string[];
  /** The author's highest role: a role named like a rank must be below it. Null: no limit. */
  ceilingRoleId?: string | null;
}

/** The facts that a mapping of a whole group is resolved with: the server's roles, and the groups with their ranks. */
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
  /** The role of that name, or all of them. */
  roleIds: string[];
  problem: RankProblem | null;
}

/**
 * The ranks of the group that a mapping maps as a whole, lowest first, each with the role of its name (MAP-5). Letter
 * case and outer spaces make no difference. Empty for any other mapping. Pure.
 */
export function ranksOf({ condition, ceilingRoleId = null }: WithRoles, { facts, groups }: RoleNames): RankRole[] {
  if (condition.type !== 'group_roles') return [];
  const ranks = groups.find(({ groupId }) => groupId === condition.groupId)?.roles ?? [];
  const named = new Map<string, DiscordRole[]>();
  for (const role of facts.roles.values()) {
    const key = nameKey(role.name);
    if (role.roleId !== facts.guildId) named.set(key, [...(named.get(key) ?? []), role]);
  }
  return ranks
    .filter(({ rank }) => rank > 0)
    .map((rank) => {
      const roles = named.get(nameKey(rank.name)) ?? [];
      const roleIds = roles.map(({ roleId }) => roleId);
      return { rank, roleIds, problem: problemOf(roles, ceilingRoleId, facts) };
    });
}

const nameKey = (name: string): string => name.trim().toLowerCase();

function problemOf(roles: readonly DiscordRole[], ceilingRoleId: string | null, facts: GuildFacts): RankProblem | null {
  const [role, another] = roles;
  if (role === undefined) return 'no_role';
  if (another !== undefined) return 'several_roles';
  return reachBelow(ceilingRoleId, facts)(role) ? null : 'role_above_mapper';
}

/** The mappings with each one of a whole group replaced by one per rank with a role of its name. Pure. */
export function expanded<Rule extends WithRoles>(rules: readonly Rule[], names: RoleNames): Rule[] {
  return rules.flatMap((rule) => {
    const { condition } = rule;
    if (condition.type !== 'group_roles') return rule;
    return ranksOf(rule, names).flatMap(({ rank: { gameRoleId }, roleIds, problem }) =>
      problem === null
        ? { ...rule, condition: { type: 'group_role' as const, groupId: condition.groupId, gameRoleId }, roleIds }
        : [],
    );
  });
}

export function rolesGiven(rule: WithRoles, names: RoleNames): string[] {
  return [...new Set(expanded([rule], names).flatMap(({ roleIds }) => roleIds))];
}

export const mapsWholeGroup = (rules: readonly WithRoles[]): boolean =>
  rules.some(({ condition }) => condition.type === 'group_roles');
