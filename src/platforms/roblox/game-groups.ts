import { z } from 'zod';
import { gameId } from '../../lib/ids.js';
import { minuteMs } from '../../lib/time.js';
import { hasOpenCloud, lookUpInCloud, readCloudPages } from './open-cloud.js';
import { ReadThroughCache } from './read-through-cache.js';
import { perConfiguration } from './roblox-config.js';
import { incompleteAnswer, type Patience, readRoblox, yieldsToOthers } from './roblox-http.js';
import { isRobloxId, robloxId } from './roblox-id.js';

/** A Roblox group's role; `rank` is 0 to 255, and several roles may share one. */
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
  /** Ordered by rank, lowest first, including the Guest role with rank 0, for people outside the group. */
  roles: GameRole[];
}

const CACHE_MS = 5 * minuteMs;
/** The largest page in Open Cloud's role list (Roblox's OpenAPI). */
const ROLES_PER_PAGE = 20;
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

const cloudGroup = z.object({
  id: gameId,
  displayName: z.string().min(1),
  memberCount: z.int().nonnegative(),
  owner: z
    .string()
    .regex(/^users\/\d+$/)
    .optional(),
});

const cloudRoles = z.object({
  groupRoles: z.array(
    z.object({ path: z.string(), id: gameId, displayName: z.string(), rank: z.int().min(0).max(255) }),
  ),
  nextPageToken: z.string().optional(),
});

const recentGroups = perConfiguration(
  () => new ReadThroughCache<GameGroup, Patience>({ max: 2_000, ttlMs: CACHE_MS }, readGroup),
);

/**
 * The group with its roles; `null` if Roblox says that it does not exist. Up to five minutes old, unless `fresh`.
 * Throws GamePlatformUnavailable.
 */
export async function readGameGroup(
  groupId: string,
  { fresh = false, patience }: { fresh?: boolean; patience?: Patience } = {},
): Promise<GameGroup | null> {
  if (!isRobloxId(groupId)) return null;
  return recentGroups().read(groupId, { fresh, yields: patience?.yields ?? yieldsToOthers(), how: patience });
}

/** Whether `readGameGroup` would answer from its cache. */
export const isRemembered = (groupId: string): boolean =>
  !isRobloxId(groupId) || recentGroups().readAt(groupId) !== null;

async function readGroup(groupId: string, patience?: Patience): Promise<GameGroup | null> {
  const how = patience === undefined ? {} : { patience };
  const [detail, roles] = await (hasOpenCloud() ? readFromCloud(groupId, how) : readFromOlderHost(groupId, how));
  if (detail === null && roles === null) return null;
  if (detail?.groupId !== groupId || roles === null || roles.length === 0) {
    throw incompleteAnswer('the group and its roles do not belong together');
  }
  return { ...detail, roles: roles.sort(byRank) };
}

const byRank = (a: GameRole, b: GameRole): number =>
  a.rank - b.rank || a.gameRoleId.localeCompare(b.gameRoleId, 'en', { numeric: true });

/** A group without its roles, and its roles; null for a part that does not exist. */
type GroupParts = [detail: Omit<GameGroup, 'roles'> | null, roles: GameRole[] | null];

async function readFromOlderHost(groupId: string, how: { patience?: Patience }): Promise<GroupParts> {
  const path = `/v1/groups/${groupId}`;
  const [detail, listed] = await Promise.all([
    readRoblox({ ...how, host: 'groups', path, answer: groupDetail, absent: NO_SUCH_GROUP }),
    readRoblox({ ...how, host: 'groups', path: `${path}/roles`, answer: groupRoles, absent: NO_SUCH_GROUP }),
  ]);
  if (listed !== null && listed.groupId !== groupId) throw incompleteAnswer('answered the roles of another group');
  return [
    detail && {
      groupId: detail.id,
      name: detail.name,
      memberCount: detail.memberCount,
      ownerId: detail.owner?.userId ?? null,
    },
    listed?.roles.map(({ id, name, rank }) => ({ gameRoleId: id, name, rank })) ?? null,
  ];
}

async function readFromCloud(groupId: string, how: { patience?: Patience }): Promise<GroupParts> {
  const path = `/cloud/v2/groups/${groupId}`;
  const [detail, roles] = await Promise.all([
    lookUpInCloud({ ...how, endpoint: 'groups', path, answer: cloudGroup }),
    readCloudRoles(groupId, how),
  ]);
  if (detail === null) return [null, roles];
  const { id, displayName: name, memberCount, owner } = detail;
  return [{ groupId: id, name, memberCount, ownerId: owner?.split('/')[1] ?? null }, roles];
}

/** A group's roles, in pages of 20; null if there is no such group. */
async function readCloudRoles(groupId: string, how: { patience?: Patience }): Promise<GameRole[] | null> {
  const path = `/cloud/v2/groups/${groupId}/roles`;
  const query = { maxPageSize: ROLES_PER_PAGE };
  const pages = readCloudPages({ ...how, endpoint: 'roles', path, query, answer: cloudRoles }, { mayBeAbsent: true });
  let roles: GameRole[] | null = null;
  for await (const { groupRoles: listed } of pages) {
    if (listed.some((role) => !role.path.startsWith(`groups/${groupId}/`))) {
      throw incompleteAnswer('answered the roles of another group');
    }
    roles = [
      ...(roles ?? []),
      ...listed.map(({ id, displayName, rank }) => ({ gameRoleId: id, name: displayName, rank })),
    ];
  }
  return roles;
}

/** A group's pages on roblox.com, with its id's position in their addresses. */
const groupPages = [
  /^(?:groups|communities)\/(\d+)(?:[/?#]|$)/i,
  /^(?:groups|communities)\/configure\/?\?(?:[^#]*&)?id=(\d+)(?:[&#]|$)/i,
  /^[\w./-]*\?(?:[^#]*&)?gid=(\d+)(?:[&#]|$)/i,
];

/**
 * The group id in typed or pasted text. It accepts the id itself and the group page's address, old (`/groups/123/Name`)
 * or new (`/communities/123/Name`), with or without a language prefix. It also accepts pages with the id in their query
 * (`/communities/configure?id=123`, `/My/Groups.aspx?gid=123`). `null` for anything else.
 */
export function parseGameGroupReference(text: string): string | null {
  const reference = text.trim();
  const [, path] =
    /^(?:https?:\/\/)?(?:www\.|web\.|m\.)?roblox\.com\/(?:[a-z]{2}(?:-[a-z]{2})?\/)?(.*)$/i.exec(reference) ?? [];
  const id = path === undefined ? reference : groupPages.map((page) => page.exec(path)?.[1]).find(Boolean);
  return id !== undefined && isRobloxId(id) ? id : null;
}
