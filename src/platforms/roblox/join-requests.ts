import { z } from 'zod';
import { gameId } from '../../lib/ids.js';
import type { RankRefusal } from './group-ranks.js';
import { lookUpInCloud } from './open-cloud.js';
import { incompleteAnswer } from './roblox-http.js';
import { writeRoblox } from './roblox-write.js';

/** A person's request to join a group. */
export interface JoinRequest {
  /** The id of the request, by which it is answered. */
  requestId: string;
  gameUserId: string;
  requestedAt: Date;
}

export interface JoinRequestPage {
  requests: JoinRequest[];
  /** Null on the last page. */
  nextPageToken: string | null;
}

/** `request_unknown`: the request was answered or withdrawn meanwhile. */
type RequestRefusal =
  | Extract<RankRefusal, 'key' | 'permission' | 'rate_limited' | 'not_sent' | 'unexplained'>
  | 'request_unknown';
export type RequestOutcome = { kind: 'done' } | { kind: 'refused'; reason: RequestRefusal; retryAfterSeconds?: number };

/** The largest page (Roblox's OpenAPI). */
export const requestsPerPage = 20;

/** Pages may have fewer requests than asked for, or none, and still name a next one. */
const mostEmptyPages = 10;

const requestPage = z.object({
  groupJoinRequests: z
    .array(
      z.object({
        path: z.string().regex(/^groups\/\d+\/join-requests\/[\w-]{1,100}$/),
        user: z.string().regex(/^users\/\d+$/),
        createTime: z.iso.datetime({ offset: true }),
      }),
    )
    .default([]),
  nextPageToken: z.string().optional(),
});

/** One page of a list: its size stays the same on all of them. */
export interface PageOfRequests {
  size: number;
  token?: string | undefined;
}

/**
 * A page of the requests to join a group (Open Cloud, scope `group:read`, 300 a minute). `not_allowed`: the key's account
 * may not see them. `stale`: Roblox doesn't know the token any more. Throws GamePlatformUnavailable.
 */
export async function readJoinRequests(
  groupId: string,
  { size, token }: PageOfRequests,
): Promise<JoinRequestPage | 'not_allowed' | 'stale'> {
  const query = { maxPageSize: size, ...(token !== undefined && { pageToken: token }) };
  const page = await readPage(groupId, query, token === undefined ? [403] : [400, 403]);
  if (page !== null) return page;
  // The two refusals look alike here: the first page needs no token.
  return token === undefined || (await readPage(groupId, { maxPageSize: 1 }, [403])) === null ? 'not_allowed' : 'stale';
}

/**
 * The request of one account to join a group; null where there is none. `not_allowed`: as above. Throws
 * GamePlatformUnavailable.
 */
export async function readJoinRequestOf(
  groupId: string,
  gameUserId: string,
): Promise<JoinRequest | null | 'not_allowed'> {
  const filter = `user == 'users/${gameId.parse(gameUserId)}'`;
  let pageToken: string | null = null;
  for (let pages = 0; pages < mostEmptyPages; pages += 1) {
    const query = { maxPageSize: requestsPerPage, filter, ...(pageToken !== null && { pageToken }) };
    const page: JoinRequestPage | null = await readPage(groupId, query, [403]);
    if (page === null) return 'not_allowed';
    const [found = null] = page.requests;
    if (found !== null && found.gameUserId !== gameUserId) throw incompleteAnswer('answered a request not asked for');
    if (found !== null || page.nextPageToken === null) return found;
    pageToken = page.nextPageToken;
  }
  throw incompleteAnswer('answered empty pages alone');
}

async function readPage(
  groupId: string,
  query: Record<string, string | number>,
  status: readonly number[],
): Promise<JoinRequestPage | null> {
  const page = await lookUpInCloud({
    endpoint: 'join_requests',
    path: `/cloud/v2/groups/${gameId.parse(groupId)}/join-requests`,
    query,
    answer: requestPage,
    absent: { status },
  });
  if (page === null) return null;
  const requests = page.groupJoinRequests.map(({ path, user, createTime }) => {
    if (!path.startsWith(`groups/${groupId}/`)) throw incompleteAnswer('answered requests of another group');
    return { requestId: lastPart(path), gameUserId: lastPart(user), requestedAt: new Date(createTime) };
  });
  return { requests, nextPageToken: page.nextPageToken || null };
}

const lastPart = (path: string): string => path.split('/').at(-1) ?? '';

/**
 * Takes the person into the group, or declines their request, by one write (100 a minute each). Throws
 * GamePlatformUnavailable where the result is unknown.
 */
export async function answerJoinRequest(
  verb: 'accept' | 'decline',
  { groupId, requestId }: { groupId: string; requestId: string },
  signal: AbortSignal,
): Promise<RequestOutcome> {
  const path = `/cloud/v2/groups/${gameId.parse(groupId)}/join-requests/${encodeURIComponent(requestId)}:${verb}`;
  const written = await writeRoblox({ endpoint: `${verb}_request`, path, body: {}, answer: z.unknown() }, signal);
  if (written.kind === 'answered') return { kind: 'done' };
  const { status, retryAfterSeconds } = written;
  const reason = reasonOf.get(status) ?? 'unexplained';
  return { kind: 'refused', reason, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

/** The reason of each status. */
const reasonOf: ReadonlyMap<number, RequestRefusal> = new Map([
  [401, 'key'],
  [403, 'permission'],
  [404, 'request_unknown'],
  [429, 'rate_limited'],
  [503, 'not_sent'],
]);
