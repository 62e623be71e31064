import { z } from 'zod';
import { gameId } from '../../lib/ids.js';
import type { HeldRoles } from './held-roles.js';
import { MEMBERSHIPS_PER_PAGE, USERS_PER_BATCH } from './membership-reads.js';
import { readCloudPages } from './open-cloud.js';
import { perConfiguration } from './roblox-config.js';
import { incompleteAnswer, type Patience } from './roblox-http.js';

/** A person's role ids, by group. Open Cloud returns no ranks here. */
export type RoleIdsByGroup = Map<string, Set<string>>;

/** Replaces a group's id in a list over all groups. */
const allGroups = '-';

export interface Membership {
  groupId: string;
  gameUserId: string;
  roleIds: string[];
}

const idPath = (kind: string) => z.string().regex(new RegExp(`^${kind}/\\d+$`));

/** `roles` is required and never empty: `role` alone names only the highest role and would hide the others. */
const membershipPage = z.object({
  groupMemberships: z.array(
    z.object({
      path: z.string().regex(/^groups\/\d+\/memberships\/[^/]+$/),
      user: idPath('users'),
      roles: z.array(idPath('groups/\\d+/roles')).min(1),
    }),
  ),
  nextPageToken: z.string().optional(),
});

/** The estimate before any read: 20 groups per person, weighted like ten people. */
const seenSoFar = perConfiguration(() => ({ people: 10, memberships: 200 }));

/**
 * The average groups per person, as seen in reads so far. It decides the pages per batch, and so the cheapest way to
 * read.
 */
export function groupsPerUserSeen(): number {
  const { people, memberships } = seenSoFar();
  return memberships / people;
}

/**
 * All memberships of these people (`groups/-/memberships`, 50 people per filter, all pages). Every person is in the
 * answer; a person in no group has an empty map. Throws GamePlatformUnavailable.
 */
export async function readMembershipsOfUsers(
  gameUserIds: readonly string[],
  patience?: Patience,
): Promise<Map<string, RoleIdsByGroup>> {
  const found = new Map(gameUserIds.map((id): [string, RoleIdsByGroup] => [gameId.parse(id), new Map()]));
  const wanted = [...found.keys()];
  for (let start = 0; start < wanted.length; start += USERS_PER_BATCH) {
    const batch = wanted.slice(start, start + USERS_PER_BATCH);
    const filter = `user in [${batch.map((id) => `'users/${id}'`).join(', ')}]`;
    let memberships = 0;
    for await (const membership of listMemberships(allGroups, filter, patience)) {
      const person = found.get(membership.gameUserId);
      if (!person || !batch.includes(membership.gameUserId)) throw incompleteAnswer('answered a user not asked for');
      addRoles(person, membership);
      memberships += 1;
    }
    seenSoFar().people += batch.length;
    seenSoFar().memberships += memberships;
  }
  return found;
}

/**
 * Adds the roles in this group to its members among `people`, by paging through all members. Returns how many members
 * were listed. A person's roles become a new object, since others may share the old one. Throws
 * GamePlatformUnavailable.
 */
export async function readMembershipsOfGroup(
  groupId: string,
  people: Pick<Map<string, HeldRoles>, 'get' | 'set'>,
  patience?: Patience,
): Promise<number> {
  const members = new Set<string>();
  for await (const membership of listMemberships(gameId.parse(groupId), undefined, patience)) {
    if (membership.groupId !== groupId) throw incompleteAnswer('answered a group not asked for');
    members.add(membership.gameUserId);
    const held = people.get(membership.gameUserId);
    if (held) people.set(membership.gameUserId, withRoles(held, membership));
  }
  return members.size;
}

/** A person's role ids in one group; none if they are not in it. Throws GamePlatformUnavailable. */
export async function readRolesInGroup(gameUserId: string, groupId: string): Promise<string[]> {
  const held: string[] = [];
  const filter = `user == 'users/${gameId.parse(gameUserId)}'`;
  for await (const membership of listMemberships(gameId.parse(groupId), filter)) {
    if (membership.groupId !== groupId || membership.gameUserId !== gameUserId) {
      throw incompleteAnswer('answered a membership not asked for');
    }
    held.push(...membership.roleIds);
  }
  return held;
}

const joinedPage = z.object({
  groupMemberships: z.array(
    z.object({ path: z.string(), user: idPath('users'), createTime: z.iso.datetime({ offset: true }) }),
  ),
  nextPageToken: z.string().optional(),
});

/** The time at which a group member joined. Throws GamePlatformUnavailable, also if they seem not to be in it. */
export async function readJoinedAt(gameUserId: string, groupId: string): Promise<Date> {
  const read = {
    endpoint: 'memberships' as const,
    path: `/cloud/v2/groups/${gameId.parse(groupId)}/memberships`,
    query: { maxPageSize: MEMBERSHIPS_PER_PAGE, filter: `user == 'users/${gameId.parse(gameUserId)}'` },
    answer: joinedPage,
  };
  for await (const { groupMemberships } of readCloudPages(read, { mayBeAbsent: true })) {
    const membership = groupMemberships.find(({ user }) => user === `users/${gameUserId}`);
    if (membership?.path.startsWith(`groups/${groupId}/`)) return new Date(membership.createTime);
  }
  throw incompleteAnswer('did not show when a member joined');
}

function addRoles(person: RoleIdsByGroup, { groupId, roleIds }: Membership): void {
  person.set(groupId, new Set([...(person.get(groupId) ?? []), ...roleIds]));
}

function withRoles(held: HeldRoles, { groupId, roleIds }: Membership): HeldRoles {
  return new Map([...held, [groupId, new Set([...(held.get(groupId) ?? []), ...roleIds])]]);
}

/** Every membership in a list, page by page; none for a deleted group. */
export async function* listMemberships(
  groupId: string,
  filter?: string,
  patience?: Patience,
): AsyncGenerator<Membership> {
  const read = {
    endpoint: 'memberships' as const,
    path: `/cloud/v2/groups/${groupId}/memberships`,
    query: { maxPageSize: MEMBERSHIPS_PER_PAGE, ...(filter && { filter }) },
    answer: membershipPage,
    ...(patience && { patience }),
  };
  const pages = readCloudPages(read, { mayBeAbsent: groupId !== allGroups });
  for await (const { groupMemberships } of pages) {
    for (const { path, user, roles } of groupMemberships) yield membershipFrom(path, user, roles);
  }
}

/** Extracts the ids from resource paths: `groups/7/memberships/x`, `users/1`, `groups/7/roles/9`. */
function membershipFrom(path: string, user: string, roles: readonly string[]): Membership {
  const [, groupId = ''] = path.split('/');
  const [, gameUserId = ''] = user.split('/');
  if (!roles.every((role) => role.startsWith(`groups/${groupId}/`))) {
    throw incompleteAnswer('a membership names roles of another group');
  }
  return { groupId, gameUserId, roleIds: roles.map((role) => role.split('/').at(-1) ?? '') };
}
