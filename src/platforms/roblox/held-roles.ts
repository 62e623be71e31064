import { type GameRole, readGameGroup } from './game-groups.js';
import { incompleteAnswer } from './roblox-http.js';

/** A person's roles by group id, highest rank first. A missing group: the person is not in it. */
export type GroupRoles = ReadonlyMap<string, readonly GameRole[]>;

export const noRanks: GroupRoles = new Map();

/** Roles by group as they are read: complete from the public endpoint, ids only from Open Cloud. */
export type HeldRoles = ReadonlyMap<string, Iterable<GameRole | string>>;

/**
 * Keeps only these groups, and adds names and ranks to roles known by id alone. People with one shared roles object
 * share the result too. Throws GamePlatformUnavailable if a role is not among its group's, even after a fresh read.
 */
export async function nameRoles(
  people: ReadonlyMap<string, HeldRoles>,
  groupIds: readonly string[],
): Promise<Map<string, GroupRoles>> {
  const distinct = new Set(people.values());
  const known = await Promise.all(
    [...new Set(groupIds)].map(async (groupId) => {
      const held = [...distinct].flatMap((roles) => [...(roles.get(groupId) ?? [])]);
      return { groupId, byId: await rolesById(groupId, new Set(held.filter(isRoleId))) };
    }),
  );
  const named = new Map<HeldRoles, GroupRoles>();
  for (const held of distinct) {
    const whole = known.flatMap(({ groupId, byId }): [string, GameRole[]][] => {
      const roles = held.get(groupId);
      return roles ? [[groupId, wholeRoles(roles, byId)]] : [];
    });
    named.set(held, new Map(whole));
  }
  const result = new Map<string, GroupRoles>();
  for (const [gameUserId, held] of people) result.set(gameUserId, named.get(held) ?? new Map());
  return result;
}

function wholeRoles(roles: Iterable<GameRole | string>, byId: ReadonlyMap<string, GameRole>): GameRole[] {
  const whole = [...roles].flatMap((role) => (isRoleId(role) ? (byId.get(role) ?? []) : role));
  return whole.sort((a, b) => b.rank - a.rank || a.gameRoleId.localeCompare(b.gameRoleId, 'en', { numeric: true }));
}

function isRoleId(role: GameRole | string): role is string {
  return typeof role === 'string';
}

/** The group's roles, read again if a `needed` one is missing because it is newer than the cache. */
async function rolesById(groupId: string, needed: ReadonlySet<string>): Promise<ReadonlyMap<string, GameRole>> {
  if (needed.size === 0) return new Map();
  for (const fresh of [false, true]) {
    const group = await readGameGroup(groupId, { fresh });
    const byId = new Map(group?.roles.map((role) => [role.gameRoleId, role]));
    if ([...needed].every((id) => byId.has(id))) return byId;
  }
  throw incompleteAnswer('a member holds a role that the group does not have');
}
