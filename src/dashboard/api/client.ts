import createClient from 'openapi-fetch';
import type { Paths, Schemas } from '../../client/api-types.js';
import { Refusal, Unreachable } from './answer-errors.js';

export const api = createClient<Paths>({ baseUrl: location.origin });

/** The answer to an `api` call. Throws Refusal for a problem document, and Unreachable if no answer comes. */
export async function answerOf<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data } = await withHead(call);
  return data as T;
}

export async function taggedAnswerOf<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<{ value: T; etag: string }> {
  const { data, response } = await withHead(call);
  return { value: data as T, etag: response.headers.get('etag') ?? '' };
}

async function withHead<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>) {
  const answer = await call.catch((cause: unknown) => {
    // fetch throws a TypeError when it has no answer.
    throw cause instanceof TypeError ? new Unreachable(cause) : cause;
  });
  if (answer.response.ok) return answer;
  const seconds = Number(answer.response.headers.get('retry-after') ?? Number.NaN);
  throw new Refusal(answer.response.status, problemIn(answer.error), Number.isNaN(seconds) ? undefined : seconds);
}

/** A proxy between the service and the browser may refuse without a problem document. */
const problemIn = (error: unknown): Partial<Schemas['Problem']> =>
  typeof error === 'object' && error !== null ? error : {};

interface Page<T> {
  data: T[];
  nextCursor: string | null;
}

/** A whole list, page by page. `read` asks for one page. */
export async function wholeList<T>(read: (cursor: string | undefined) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = [];
  for (let cursor: string | undefined; ; ) {
    const { data, nextCursor } = await read(cursor);
    all.push(...data);
    if (nextCursor === null) return all;
    cursor = nextCursor;
  }
}
