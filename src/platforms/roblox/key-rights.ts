import { z } from 'zod';
import { gameId } from '../../lib/ids.js';
import { minuteMs } from '../../lib/time.js';
import { readKeyState } from './api-key.js';
import { rolesPerPage } from './group-role-counts.js';
import { hasOpenCloud, readCloudPages } from './open-cloud.js';
import { readRolesInGroup } from './open-cloud-memberships.js';
import { ReadThroughCache } from './read-through-cache.js';
import { perConfiguration } from './roblox-config.js';

/** The rights of our key in one group: those of its owner's account. */
export interface KeyRights {
  /** Whether the key has the scope `group:write`. */
  hasScope: boolean;
  /** Null where Roblox doesn't name the account. */
  accountId: string | null;
  /** Its highest rank in the group; 0 outside of it. It ranks nobody at or above that. */
  rank: number;
  /** Whether its roles may change ranks; null where Roblox doesn't show it. */
  mayRank: boolean | null;
  /** How many of the group's roles are below its rank: it can give only these. */
  rolesBelow: number;
}

/** The obstacles to our key's ranking in a group, the first to solve first. */
export const rankingFaults = ['scope_missing', 'outside', 'permission_missing', 'rank_low'] as const;
export type RankingFault = (typeof rankingFaults)[number];

const cacheMs = 5 * minuteMs;
/** The rank of the owner, with all rights. */
const ownerRank = 255;

const rolePage = z.object({
  groupRoles: z.array(
    z.object({
      id: gameId,
      rank: z.int().min(0).max(255),
      /** Shown for the roles of the key's account only. */
      permissions: z.object({ changeRank: z.boolean().optional() }).optional(),
    }),
  ),
  nextPageToken: z.string().optional(),
});
type Role = z.output<typeof rolePage>['groupRoles'][number];

const recentRights = perConfiguration(() => new ReadThroughCache({ max: 200, ttlMs: cacheMs }, readRights));

/**
 * The rights of our key in a group; null without a key. Up to five minutes old, unless `fresh`. Throws
 * GamePlatformUnavailable.
 */
export async function readKeyRights(groupId: string, options: { fresh?: boolean } = {}): Promise<KeyRights | null> {
  return hasOpenCloud() ? recentRights().read(gameId.parse(groupId), options) : null;
}

/** The first obstacle; null: it ranks people there. */
export function rankingFaultOf({ hasScope, rank, mayRank, rolesBelow }: KeyRights): RankingFault | null {
  if (!hasScope) return 'scope_missing';
  if (rank === 0) return 'outside';
  if (mayRank === false) return 'permission_missing';
  return rolesBelow < 2 ? 'rank_low' : null;
}

async function readRights(groupId: string): Promise<KeyRights> {
  const key = await readKeyState();
  const accountId = key?.accountId ?? null;
  const [ids, roles] = accountId === null ? [[], []] : await readRoles(accountId, groupId);
  const held = roles.filter(({ id }) => ids.includes(id));
  const rank = Math.max(0, ...held.map((role) => role.rank));
  return {
    hasScope: key?.writesRanks === true,
    accountId,
    rank,
    mayRank: rank === ownerRank || mayByRoles(held),
    rolesBelow: roles.filter((role) => role.rank > 0 && role.rank < rank).length,
  };
}

/** The ids of the roles of an account in a group, and all roles of the group; none where it holds none. */
async function readRoles(accountId: string, groupId: string): Promise<[ids: string[], roles: Role[]]> {
  const ids = await readRolesInGroup(accountId, groupId);
  const roles: Role[] = [];
  if (ids.length === 0) return [ids, roles];
  const read = {
    endpoint: 'roles' as const,
    path: `/cloud/v2/groups/${groupId}/roles`,
    query: { maxPageSize: rolesPerPage },
    answer: rolePage,
  };
  for await (const { groupRoles } of readCloudPages(read)) roles.push(...groupRoles);
  return [ids, roles];
}

function mayByRoles(held: readonly Role[]): boolean | null {
  if (held.some(({ permissions }) => permissions?.changeRank === true)) return true;
  return held.some(({ permissions }) => permissions?.changeRank === undefined) ? null : false;
}
