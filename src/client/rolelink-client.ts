import createFetchClient, { type Client, type Middleware } from 'openapi-fetch';
import { clientVersion, type Paths, pathsWithKeys, type Schemas } from './api-types.js';
import { repeating } from './repeated-request.js';

export type { Events, Paths, Schemas } from './api-types.js';
export { type SignOptions, signWebhook } from './sign-webhook.js';
export {
  type DeliveryHeaders,
  type RolelinkEvent,
  type VerifyOptions,
  verifyWebhook,
  WebhookNotGenuine,
} from './verify-webhook.js';

/** One call for each method: `client.GET('/api/guilds/{guildId}/members', { params: … })`. */
export type RolelinkClient = Client<Paths>;

export interface RolelinkOptions {
  /** The Rolelink installation's address, such as `https://rolelink.example`. */
  url: string;
  /** A bot token, `rlk_…`. Without one the client reads only public data. */
  token?: string;
  /** Maximum tries for one request; 4 unless given. With 1 nothing is repeated. */
  attempts?: number;
  /** Maximum milliseconds until an answer's head; 30,000 unless given. */
  timeoutMs?: number;
  /** Maximum milliseconds to wait between two tries; 60,000 unless given. A longer `Retry-After` is not waited for. */
  longestWaitMs?: number;
  /** Sends the requests; the global `fetch` unless given. */
  fetch?: (request: Request) => Promise<Response>;
}

/**
 * Makes a client for one Rolelink installation's API.
 *
 * Each POST carries a random `Idempotency-Key` where its operation takes one. The client repeats a request after a 429,
 * and, if a repetition can't create anything twice, after a 503, a 409 with `Retry-After`, and a lost connection.
 */
export function createRolelinkClient(options: RolelinkOptions): RolelinkClient {
  const { url, token, attempts = 4, timeoutMs = 30_000, longestWaitMs = 60_000 } = options;
  const send = options.fetch ?? ((request: Request) => fetch(request));
  const client = createFetchClient<Paths>({
    baseUrl: url,
    headers: { 'user-agent': `rolelink-client/${clientVersion}`, ...(token && { authorization: `Bot ${token}` }) },
    fetch: repeating({ send, attempts, timeoutMs, longestWaitMs }),
  });
  client.use(idempotencyKeys);
  return client;
}

/** `repeating` trusts a key, so only the operations that take one get one. */
const idempotencyKeys: Middleware = {
  onRequest({ request, schemaPath }) {
    if (request.method !== 'POST' || !pathsWithKeys.has(schemaPath)) return;
    if (!request.headers.has('idempotency-key')) request.headers.set('idempotency-key', crypto.randomUUID());
  },
};

/** The service's refusal. Decide by `code`, which is stable; `message` is a sentence for people. */
export class RolelinkRefusal extends Error {
  override readonly name = 'RolelinkRefusal';

  constructor(
    readonly status: number,
    /** The whole problem document; empty if something between answered instead of the service. */
    readonly problem: Partial<Schemas['Problem']>,
    /** Seconds until a repetition makes sense, if the service names them. */
    readonly retryAfterSeconds: number | undefined,
  ) {
    super(problem.detail ?? `HTTP ${status}`);
  }

  get code(): string | undefined {
    return this.problem.code;
  }
}

interface CallResult<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Returns a successful answer's body. @throws RolelinkRefusal for every other answer. */
export async function answerOf<T>(call: Promise<CallResult<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (response.ok) return data as T;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const problem = typeof error === 'object' && error !== null ? error : {};
  throw new RolelinkRefusal(response.status, problem, Number.isNaN(seconds) ? undefined : seconds);
}

/**
 * Yields every item in a list. `read` asks for one page: it spreads `page` into the query.
 * A page is read when its first item is asked for. @throws RolelinkRefusal
 */
export async function* everyItem<T>(
  read: (page: { cursor?: string }) => Promise<CallResult<{ data: T[]; nextCursor: string | null }>>,
): AsyncGenerator<T, void, undefined> {
  for await (const { data } of everyPart(read)) yield* data;
}

/**
 * Yields an answer's parts, such as a preview's: the last part has the numbers for all. `read` asks for
 * one part: it spreads `page` into the query, or into a preview's body. @throws RolelinkRefusal
 */
export async function* everyPart<T extends { nextCursor: string | null }>(
  read: (page: { cursor?: string }) => Promise<CallResult<T>>,
): AsyncGenerator<T, void, undefined> {
  let page: { cursor?: string } = {};
  for (;;) {
    const part: T = await answerOf(read(page));
    yield part;
    if (part.nextCursor === null) return;
    page = { cursor: part.nextCursor };
  }
}
