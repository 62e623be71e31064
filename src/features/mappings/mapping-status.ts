import { z } from 'zod';
import type { LinkedGroup } from '../../core/groups/group-model.js';
import type { GuildFacts } from '../../platforms/discord/guild-facts.js';
import { dangerousPermissions } from '../../platforms/discord/permissions.js';
import { roleObstacle } from '../../platforms/discord/role-hierarchy.js';
import { groupIdsOf, leavesOf } from './condition.js';
import type { Mapping } from './mapping-model.js';
import { expanded, ranksOf } from './whole-group.js';

/** Whether a mapping works at present (MAP-13). The guild's health names each fault's remedy. */
export const mappingStatusName = z.enum(['ok', 'role_missing', 'role_unmanageable', 'role_dangerous', 'group_missing']);
export type MappingStatus = z.output<typeof mappingStatusName>;

type KnownGroup = Pick<LinkedGroup, 'groupId' | 'roles' | 'gone'>;

/**
 * A mapping's worst fault. `group_missing`: a group that its condition names is not attached to the guild or gone from
 * Roblox. `role_missing`: a role that it names, on Discord or in the game group, was deleted, or no rank in a whole
 * group has a role. `role_unmanageable`: the bot may not give a role, or a rank's name fits several (`RankProblem`).
 * `role_dangerous`: a role is held until an admin confirms it.
 */
export function mappingStatus(mapping: Mapping, facts: GuildFacts, groups: readonly KnownGroup[]): MappingStatus {
  if (missingGroupIds(mapping, groups).length > 0) return 'group_missing';
  const each = expanded([mapping], { facts, groups });
  const obstacles = each.flatMap(({ roleIds }) => roleIds.map((roleId) => roleObstacle(facts, roleId)));
  if (obstacles.includes('role_deleted') || missingGameRoles(mapping, groups).length > 0) return 'role_missing';
  const isUnclear = ranksOf(mapping, { facts, groups }).some(
    ({ problem }) => problem !== null && problem !== 'no_role',
  );
  if (isUnclear || obstacles.some((obstacle) => obstacle !== null)) return 'role_unmanageable';
  if (each.some((one) => heldRoleIds(one, facts).length > 0)) return 'role_dangerous';
  return each.length === 0 ? 'role_missing' : 'ok';
}

/** The groups that a mapping names and that are not attached to the guild, or gone from Roblox. */
export function missingGroupIds({ condition }: Mapping, groups: readonly KnownGroup[]): string[] {
  const isThere = (groupId: string) => groups.some((group) => group.groupId === groupId && !group.gone);
  return groupIdsOf(condition).filter((groupId) => !isThere(groupId));
}

/** The game roles that a mapping names and that its attached groups no longer have. */
export function missingGameRoles(
  { condition }: Mapping,
  groups: readonly KnownGroup[],
): { groupId: string; gameRoleId: string }[] {
  return leavesOf(condition).flatMap(({ leaf }) => {
    if (leaf.type !== 'group_role') return [];
    const { groupId, gameRoleId } = leaf;
    const group = groups.find((candidate) => candidate.groupId === groupId);
    const known = group === undefined || group.roles.some((role) => role.gameRoleId === gameRoleId);
    return known ? [] : [{ groupId, gameRoleId }];
  });
}

/** A role that is dangerous to give, with its dangerous permissions in Discord's names (AUTH-39). */
export interface RoleWarning {
  roleId: string;
  permissions: string[];
}

export function roleWarnings(roleIds: readonly string[], facts: GuildFacts): RoleWarning[] {
  return roleIds
    .map((roleId) => ({ roleId, permissions: dangerousPermissions(facts.roles.get(roleId)?.permissions ?? 0n) }))
    .filter(({ permissions }) => permissions.length > 0);
}

export interface RoleAcceptance {
  roleIds: readonly string[];
  confirmedDangers?: readonly RoleWarning[] | undefined;
}

/**
 * A mapping's roles with dangerous permissions gained since they were mapped or last confirmed (AUTH-40). The mapping
 * neither gives nor takes them. Accepting Administrator accepts all permissions.
 */
export function heldRoleIds({ roleIds, confirmedDangers = [] }: RoleAcceptance, facts: GuildFacts): string[] {
  const accepted = new Map(confirmedDangers.map(({ roleId, permissions }) => [roleId, permissions]));
  return roleWarnings(roleIds, facts).flatMap(({ roleId, permissions }) => {
    const known = accepted.get(roleId) ?? [];
    return known.includes('Administrator') || permissions.every((name) => known.includes(name)) ? [] : roleId;
  });
}
