import { z } from 'zod';
import { gameId } from '../../lib/ids.js';
import type { RankRefusal } from './group-ranks.js';
import { lookUpInCloud } from './open-cloud.js';
import { incompleteAnswer } from './roblox-http.js';
import { type RobloxWrite, writeRoblox } from './roblox-write.js';

/** A person asking to join a group. */
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

/** The outcome of an answer to a request. `request_unknown`: it was answered or withdrawn meanwhile. */
export type RequestRefusal =
  | Extract<RankRefusal, 'key' | 'permission' | 'rate_limited' | 'not_sent' | 'unexplained'>
  | 'request_unknown';
export type RequestOutcome = { kind: 'done' } | { kind: 'refused'; reason: RequestRefusal; retryAfterSeconds?: number };

/** The largest page (Roblox's OpenAPI). */
export const requestsPerPage = 20;

export const requestIdText = z.string().regex(/^[\w-]{1,100}$/);

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

/**
 * A page of 20 requests to join a group (Open Cloud, scope `group:read`, 300 a minute), or the requests of one account.
 * Null where the key's account may not see them. Throws GamePlatformUnavailable.
 */
export async function readJoinRequests(
  groupId: string,
  { pageToken, gameUserId }: { pageToken?: string; gameUserId?: string } = {},
): Promise<JoinRequestPage | null> {
  const page = await lookUpInCloud({
    endpoint: 'join_requests',
    path: `/cloud/v2/groups/${gameId.parse(groupId)}/join-requests`,
    query: {
      maxPageSize: requestsPerPage,
      ...(pageToken !== undefined && { pageToken }),
      ...(gameUserId !== undefined && { filter: `user == 'users/${gameId.parse(gameUserId)}'` }),
    },
    answer: requestPage,
    absent: { status: [403] },
  });
  if (page === null) return null;
  const requests = page.groupJoinRequests.map(({ path, user, createTime }) => {
    if (!path.startsWith(`groups/${groupId}/`)) throw incompleteAnswer('answered requests of another group');
    return {
      requestId: path.split('/').at(-1) ?? '',
      gameUserId: user.split('/').at(-1) ?? '',
      requestedAt: new Date(createTime),
    };
  });
  return { requests, nextPageToken: page.nextPageToken || null };
}

interface Answered {
  groupId: string;
  requestId: string;
}

/** Takes the person into the group (100 a minute). Throws GamePlatformUnavailable where the result is unknown. */
export const acceptJoinRequest = (request: Answered, signal: AbortSignal): Promise<RequestOutcome> =>
  answer('accept', request, signal);

/** Refuses the person; otherwise like `acceptJoinRequest`. */
export const declineJoinRequest = (request: Answered, signal: AbortSignal): Promise<RequestOutcome> =>
  answer('decline', request, signal);

async function answer(
  verb: 'accept' | 'decline',
  { groupId, requestId }: Answered,
  signal: AbortSignal,
): Promise<RequestOutcome> {
  const write: RobloxWrite<unknown> = {
    endpoint: `${verb}_request`,
    path: `/cloud/v2/groups/${gameId.parse(groupId)}/join-requests/${requestIdText.parse(requestId)}:${verb}`,
    body: {},
    answer: z.unknown(),
  };
  const written = await writeRoblox(write, signal);
  if (written.kind === 'answered') return { kind: 'done' };
  const reason = reasonOf[written.status] ?? 'unexplained';
  const { retryAfterSeconds } = written;
  return { kind: 'refused', reason, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

const reasonOf: Readonly<Record<number, RequestRefusal>> = {
  401: 'key',
  403: 'permission',
  404: 'request_unknown',
  429: 'rate_limited',
  503: 'not_sent',
};
