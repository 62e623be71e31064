import { GamePlatformUnavailable } from '../../lib/errors.js';
import { type GameRole, readGameGroup } from '../../platforms/roblox/game-groups.js';
import { type HeldRoles, nameRoles } from '../../platforms/roblox/held-roles.js';
import { type KeyRights, readKeyRights } from '../../platforms/roblox/key-rights.js';
import { readMembershipsOfUsers, readRolesInGroup } from '../../platforms/roblox/open-cloud-memberships.js';
import { incompleteAnswer } from '../../platforms/roblox/roblox-http.js';
import type { RanksAround } from './rank-guards.js';
import { highestRank, ownerRank } from './rank-ladder.js';

/** The ranks in one group as Roblox shows them now. */
export interface GroupRanks {
  /** All roles of the group, lowest first. */
  roles: readonly GameRole[];
  around: RanksAround;
  /** The roles of a person in this group, highest first; none outside it. */
  of(gameUserId: string): readonly GameRole[];
  /** The roles of a person in all groups. */
  everywhere(gameUserId: string): HeldRoles;
}

/**
 * Reads the ranks of these people and of the author, in one call for all. `own`: the author's account; null for the
 * operator. The rank of the key's account may be five minutes old. Throws GamePlatformUnavailable.
 */
export async function readRanks(groupId: string, people: readonly string[], own: string | null): Promise<GroupRanks> {
  const asked = [...new Set([...people, ...(own === null ? [] : [own])])];
  const [held, rights] = await Promise.all([readMembershipsOfUsers(asked), readKeyRights(groupId)]);
  // One after the other: a role newer than the cache has the group read again.
  const named = await nameRoles(held, [groupId]);
  const group = await readGameGroup(groupId);
  if (group === null) throw new GamePlatformUnavailable('Roblox does not know this group any more.');
  const of = (gameUserId: string) => named.get(gameUserId)?.get(groupId) ?? [];
  return {
    roles: group.roles,
    around: { own: own === null ? null : highestRank(of(own)), key: rankOfKey(rights) },
    of,
    everywhere: (gameUserId) => held.get(gameUserId) ?? new Map(),
  };
}

/** Where Roblox doesn't name the key's account, Roblox itself refuses what is above it. */
const rankOfKey = (rights: KeyRights | null): number =>
  rights === null || rights.accountId === null ? ownerRank : rights.rank;

/** The roles of one person in a group, now. Throws GamePlatformUnavailable. */
export async function readRolesOf(groupId: string, gameUserId: string): Promise<readonly GameRole[]> {
  const held = await readMembershipsOfUsers([gameUserId]);
  // A well-formed answer can be wrong: the group itself is asked before the person counts as outside.
  if (held.get(gameUserId)?.get(groupId) === undefined && (await readRolesInGroup(gameUserId, groupId)).length > 0) {
    throw incompleteAnswer('two answers about a membership differ');
  }
  return (await nameRoles(held, [groupId])).get(gameUserId)?.get(groupId) ?? [];
}
