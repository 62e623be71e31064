import { z } from 'zod';
import { minuteMs } from '../../lib/time.js';
import { RecentReads } from './recent-reads.js';
import { perConfiguration } from './roblox-config.js';
import { incompleteAnswer, readRoblox } from './roblox-http.js';
import { isRobloxId, robloxId } from './roblox-id.js';

/** A role of a Roblox group; `rank` is 0 to 255, and several roles may share one. */
export const gameRole = z.strictObject({
  gameRoleId: z.string(),
  name: z.string(),
  rank: z.int().min(0).max(255),
});
export type GameRole = z.output<typeof gameRole>;

export interface GameGroup {
  groupId: string;
  name: string;
  memberCount: number;
  /** `null` for a group without an owner. */
  ownerId: string | null;
  /**
   * By rank, ascending, including the Guest role of rank 0, which nobody holds: it stands for people outside of the
   * group.
   */
  roles: GameRole[];
}

const CACHE_MS = 5 * minuteMs;
/** GET /v1/groups/{id} and its /roles: "the group is invalid or does not exist". */
const NO_SUCH_GROUP = { status: 400, code: 1 };

const groupDetail = z.object({
  id: robloxId,
  name: z.string().min(1),
  memberCount: z.int().nonnegative(),
  owner: z.object({ userId: robloxId }).nullish(),
});

const groupRoles = z.object({
  groupId: robloxId,
  roles: z.array(z.object({ id: robloxId, name: z.string(), rank: z.int().min(0).max(255) })).min(1),
});

const recentGroups = perConfiguration(() => new RecentReads({ max: 2_000, ttlMs: CACHE_MS }, readGroup));

/**
 * The group with its roles, `null` when Roblox says that it does not exist. Up to five minutes old, unless `fresh`.
 * Throws GamePlatformUnavailable.
 */
export async function readGameGroup(groupId: string, options: { fresh?: boolean } = {}): Promise<GameGroup | null> {
  if (!isRobloxId(groupId)) return null;
  return recentGroups().read(groupId, options);
}

async function readGroup(groupId: string): Promise<GameGroup | null> {
  const path = `/v1/groups/${groupId}`;
  const [detail, listed] = await Promise.all([
    readRoblox({ host: 'groups', path, answer: groupDetail, absent: NO_SUCH_GROUP }),
    readRoblox({ host: 'groups', path: `${path}/roles`, answer: groupRoles, absent: NO_SUCH_GROUP }),
  ]);
  if (!detail && !listed) return null;
  if (detail?.id !== groupId || listed?.groupId !== groupId) {
    throw incompleteAnswer('the group and its roles do not belong together');
  }
  return {
    groupId,
    name: detail.name,
    memberCount: detail.memberCount,
    ownerId: detail.owner?.userId ?? null,
    roles: listed.roles
      .map(({ id, name, rank }) => ({ gameRoleId: id, name, rank }))
      .sort((a, b) => a.rank - b.rank || a.gameRoleId.localeCompare(b.gameRoleId, 'en', { numeric: true })),
  };
}

/**
 * The group id in what a person typed or pasted: the id itself or the address of the group's page, in Roblox's old form
 * (`/groups/123/Name`) or the new one (`/communities/123/Name`), with or without a language prefix. `null` when there
 * is none.
 */
export function parseGameGroupReference(text: string): string | null {
  const reference = text.trim();
  const page =
    /^(?:https?:\/\/)?(?:www\.|web\.)?roblox\.com\/(?:[a-z]{2}(?:-[a-z]{2})?\/)?(?:groups|communities)\/(\d+)(?:[/?#]|$)/i;
  const id = page.exec(reference)?.[1] ?? reference;
  return isRobloxId(id) ? id : null;
}
