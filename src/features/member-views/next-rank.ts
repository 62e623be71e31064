import type { GameRole } from '../../platforms/roblox/game-groups.js';
import { ranksOf } from '../mappings/whole-group.js';
import type { MappingReason, MemberWhy } from './member-why.js';

/** The lowest rank above a member's that gives further roles, in one group. */
export interface NextRank {
  groupId: string;
  groupName: string;
  rank: number;
  /** The group's roles with this rank, by name, with commas between; null if the group has none. */
  name: string | null;
  roleIds: string[];
}

/**
 * A member's next rank in each group that they are in (DISC-54). It follows from mappings that ask for a rank or role
 * alone, or for a whole group; paused ones and conditions with several parts are left out. Pure.
 */
export function nextRanks({ memberState, snapshot, reasons, rolesHeld }: MemberWhy): NextRank[] {
  return snapshot.groups.flatMap(({ groupId, name: groupName, roles }) => {
    const held = Math.max(0, ...(memberState.ranks.get(groupId) ?? []).map(({ rank }) => rank));
    if (held === 0 || memberState.missing.has(groupId)) return [];
    const steps = reasons
      .filter(({ paused }) => paused === null)
      .flatMap((reason) => stepsOf(reason, { groupId, roles, snapshot }))
      .filter(({ rank, roleIds }) => rank > held && roleIds.some((roleId) => !rolesHeld.includes(roleId)));
    if (steps.length === 0) return [];
    const rank = Math.min(...steps.map((step) => step.rank));
    const roleIds = [...new Set(steps.flatMap((step) => (step.rank === rank ? step.roleIds : [])))];
    const names = roles.filter((role) => role.rank === rank).map(({ name }) => name);
    return { groupId, groupName, rank, name: names.length > 0 ? names.join(', ') : null, roleIds };
  });
}

interface Group extends Pick<MemberWhy, 'snapshot'> {
  groupId: string;
  roles: readonly GameRole[];
}

/** The ranks in a group from which a mapping gives roles. */
function stepsOf({ mapping, verdict }: MappingReason, { groupId, roles, snapshot }: Group) {
  const { condition } = mapping;
  if (!('groupId' in condition) || condition.groupId !== groupId) return [];
  if (condition.type === 'group_roles') {
    return ranksOf(mapping, snapshot).flatMap(({ rank: { rank }, roleIds, problem }) =>
      problem === null ? { rank, roleIds } : [],
    );
  }
  if (verdict !== 'unmatched') return [];
  const rank = condition.type === 'group_rank' ? firstRank(condition.min, roles) : rankOfRole(condition, roles);
  return rank === undefined ? [] : [{ rank, roleIds: [...mapping.roleIds] }];
}

/** The group's lowest rank from `min` on; `min` itself if the group has none. */
function firstRank(min: number, roles: readonly GameRole[]): number {
  const ranks = roles.map(({ rank }) => rank).filter((rank) => rank >= min);
  return ranks.length === 0 ? min : Math.min(...ranks);
}

function rankOfRole(condition: MappingReason['mapping']['condition'], roles: readonly GameRole[]): number | undefined {
  if (condition.type !== 'group_role') return undefined;
  return roles.find(({ gameRoleId }) => gameRoleId === condition.gameRoleId)?.rank;
}
