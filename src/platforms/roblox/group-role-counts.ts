import { z } from 'zod';
import { GamePlatformUnavailable } from '../../lib/errors.js';
import { gameId } from '../../lib/ids.js';
import { minuteMs } from '../../lib/time.js';
import { hasOpenCloud, readCloudPages } from './open-cloud.js';
import { listMemberships, type Membership } from './open-cloud-memberships.js';
import { ReadThroughCache } from './read-through-cache.js';
import { perConfiguration } from './roblox-config.js';
import { incompleteAnswer, type Patience } from './roblox-http.js';

/** The largest page in an Open Cloud role list (Roblox's OpenAPI). */
export const rolesPerPage = 20;
const CACHE_MS = 5 * minuteMs;

export interface RoleCount {
  gameRoleId: string;
  rank: number;
  members: number;
}

const rolePage = z.object({
  groupRoles: z.array(
    z.object({
      path: z.string(),
      id: gameId,
      rank: z.int().min(0).max(255),
      /** Absent for the role with rank 0, which has no members. */
      memberCount: z.int().nonnegative().optional(),
    }),
  ),
  nextPageToken: z.string().optional(),
});

/**
 * The member count for each role in a group, without rank 0: one call per 20 roles (Open Cloud, 300 a minute). Needs
 * the key. Throws GamePlatformUnavailable, also for a group that no longer exists.
 */
export async function readRoleCounts(groupId: string, patience?: Patience): Promise<RoleCount[]> {
  const counts: RoleCount[] = [];
  const pages = readCloudPages({
    endpoint: 'roles',
    path: `/cloud/v2/groups/${gameId.parse(groupId)}/roles`,
    query: { maxPageSize: rolesPerPage },
    answer: rolePage,
    ...(patience && { patience }),
  });
  for await (const { groupRoles } of pages) {
    for (const { path, id, rank, memberCount } of groupRoles) {
      if (!path.startsWith(`groups/${groupId}/`)) throw incompleteAnswer('answered roles of another group');
      if (rank > 0 && memberCount === undefined) throw incompleteAnswer('answered a role without its count');
      if (memberCount !== undefined) counts.push({ gameRoleId: id, rank, members: memberCount });
    }
  }
  if (counts.length === 0) throw incompleteAnswer('answered a group without roles');
  return counts;
}

const recentCounts = perConfiguration(
  () => new ReadThroughCache<RoleCount[]>({ max: 500, ttlMs: CACHE_MS }, (groupId) => readRoleCounts(groupId)),
);

/** Each group role's member count for display, up to five minutes old; null where Roblox doesn't say. */
export async function shownRoleCounts(groupId: string): Promise<RoleCount[] | null> {
  if (!hasOpenCloud()) return null;
  try {
    return await recentCounts().read(groupId);
  } catch (error) {
    if (error instanceof GamePlatformUnavailable) return null;
    throw error;
  }
}

/**
 * The members with a given role in a group, each with all their roles in it, in pages of 100. Throws as
 * `readRoleCounts` does.
 */
export function listMembersOfRole(
  groupId: string,
  gameRoleId: string,
  patience?: Patience,
): AsyncGenerator<Membership> {
  const filter = `role == 'groups/${gameId.parse(groupId)}/roles/${gameId.parse(gameRoleId)}'`;
  return listMemberships(groupId, filter, patience);
}
