import { z } from 'zod';
import type { LinkedGroup } from '../../core/groups/group-model.js';
import type { GuildFacts } from '../../platforms/discord/guild-facts.js';
import { dangerousPermissions } from '../../platforms/discord/permissions.js';
import { roleObstacle } from '../../platforms/discord/role-hierarchy.js';
import { groupIdsOf, leavesOf } from './condition.js';
import type { Mapping } from './mapping-model.js';
import { expanded, ranksOf } from './whole-group.js';

/** Whether a mapping can work as things are (MAP-13). The guild's health says of each fault what to do. */
export const mappingStatusName = z.enum(['ok', 'role_missing', 'role_unmanageable', 'role_dangerous', 'group_missing']);
export type MappingStatus = z.output<typeof mappingStatusName>;

type KnownGroup = Pick<LinkedGroup, 'groupId' | 'roles' | 'gone'>;

/**
 * The worst that is wrong with a mapping: `group_missing` when a group that its condition names is not attached to the
 * guild or gone from Roblox; `role_missing` when a role that it names, of Discord or of the game group, was deleted;
 * `role_unmanageable` when the bot may not hand one out, or the name of a rank leaves open which (`RankProblem`);
 * `role_dangerous` when one is held until an admin confirms it. No rank of a whole group with a role is `role_missing`.
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

/** The game roles that a mapping names and that its groups, where they are attached, no longer have. */
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

/** A role that is dangerous to hand out, and by which permissions, in Discord's names (AUTH-39). */
export interface RoleWarning {
  roleId: string;
  permissions: string[];
}

/** The roles among `roleIds` that carry dangerous permissions. */
export function roleWarnings(roleIds: readonly string[], facts: GuildFacts): RoleWarning[] {
  return roleIds
    .map((roleId) => ({ roleId, permissions: dangerousPermissions(facts.roles.get(roleId)?.permissions ?? 0n) }))
    .filter(({ permissions }) => permissions.length > 0);
}

/** The roles of a mapping and which of their dangerous permissions an admin has accepted. */
export interface RoleAcceptance {
  roleIds: readonly string[];
  confirmedDangers?: readonly RoleWarning[] | undefined;
}

/**
 * The roles of a mapping that have gained dangerous permissions since they were mapped or last confirmed (AUTH-40). The
 * mapping neither gives nor takes them. Who has accepted Administrator has accepted all.
 */
export function heldRoleIds({ roleIds, confirmedDangers = [] }: RoleAcceptance, facts: GuildFacts): string[] {
  const accepted = new Map(confirmedDangers.map(({ roleId, permissions }) => [roleId, permissions]));
  return roleWarnings(roleIds, facts).flatMap(({ roleId, permissions }) => {
    const known = accepted.get(roleId) ?? [];
    return known.includes('Administrator') || permissions.every((name) => known.includes(name)) ? [] : roleId;
  });
}
