import { createHash } from 'node:crypto';
import { notOfThisList } from '../../lib/cursor.js';
import { InvalidRequest } from '../../lib/errors.js';
import type { Answer } from './answer.js';
import type { Request, Route } from './route.js';

type ListRequest = Pick<Request, 'params' | 'query'>;

/** Characters in a mark: 96 bits in base64url. */
const markLength = 16;

const isList = (route: Route): boolean => route.options.input?.query?.shape.cursor !== undefined;

/**
 * Identifies a cursor's list: the endpoint, its path, every filter and the sort. The `limit` may change between pages,
 * so it is excluded. Omitted filters count as their defaults.
 */
function markOf({ name }: Route, { params, query }: ListRequest): string {
  const { limit: _, cursor: __, ...wish } = Object(query);
  const inOrder = (fields: object) => Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  const list = JSON.stringify([name, inOrder({ ...params }), inOrder(wish)]);
  return createHash('sha256').update(list).digest('base64url').slice(0, markLength);
}

/**
 * The request with its cursor replaced by the place in the list (API-22). Throws InvalidRequest for a cursor from
 * another list, filter or sort.
 */
export function openCursor<T extends ListRequest>(route: Route, request: T): T {
  const { cursor } = Object(request.query);
  if (!isList(route) || typeof cursor !== 'string') return request;
  if (!cursor.startsWith(markOf(route, request))) throw new InvalidRequest([notOfThisList]);
  return { ...request, query: { ...Object(request.query), cursor: cursor.slice(markLength) } };
}

/** The answer with a `nextCursor` that identifies its list. */
export function sealCursor(route: Route, request: ListRequest, answer: Answer): Answer {
  const { nextCursor } = Object(answer.body);
  if (!isList(route) || typeof nextCursor !== 'string') return answer;
  return { ...answer, body: { ...Object(answer.body), nextCursor: markOf(route, request) + nextCursor } };
}
