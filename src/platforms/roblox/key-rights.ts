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
  /** Whether its roles may change ranks, and answer requests to join; null where Roblox doesn't show it. */
  mayRank: boolean | null;
  mayAnswerRequests: boolean | null;
}

const cacheMs = 5 * minuteMs;
/** The rank of the owner, with all rights. */
const ownerRank = 255;

const rolePage = z.object({
  groupRoles: z.array(
    z.object({
      id: gameId,
      rank: z.int().min(0).max(255),
      /** Shown for the roles of the key's account only. */
      permissions: z.object({ changeRank: z.boolean().optional(), acceptRequests: z.boolean().optional() }).optional(),
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

async function readRights(groupId: string): Promise<KeyRights> {
  const key = await readKeyState();
  const accountId = key?.accountId ?? null;
  const held = accountId === null ? [] : await heldRoles(accountId, groupId);
  const rank = Math.max(0, ...held.map((role) => role.rank));
  const may = (name: 'changeRank' | 'acceptRequests') => rank === ownerRank || mayByRoles(held, name);
  return {
    hasScope: key?.writesRanks === true,
    accountId,
    rank,
    mayRank: may('changeRank'),
    mayAnswerRequests: may('acceptRequests'),
  };
}

async function heldRoles(accountId: string, groupId: string): Promise<Role[]> {
  const ids = await readRolesInGroup(accountId, groupId);
  if (ids.length === 0) return [];
  const held: Role[] = [];
  const read = {
    endpoint: 'roles' as const,
    path: `/cloud/v2/groups/${groupId}/roles`,
    query: { maxPageSize: rolesPerPage },
    answer: rolePage,
  };
  for await (const { groupRoles } of readCloudPages(read))
    held.push(...groupRoles.filter(({ id }) => ids.includes(id)));
  return held;
}

function mayByRoles(held: readonly Role[], name: 'changeRank' | 'acceptRequests'): boolean | null {
  if (held.some(({ permissions }) => permissions?.[name] === true)) return true;
  return held.some(({ permissions }) => permissions?.[name] === undefined) ? null : false;
}
