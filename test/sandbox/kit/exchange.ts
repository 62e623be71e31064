/** Whose interface a sandbox server stands in for. */
type Provider = 'discord' | 'roblox' | 'stripe';

/**
 * One HTTP request that a sandbox server was sent, with its answer: what contract checks look at.
 * `host` is the provider's real host (`discord.com`, `users.roblox.com`, `apis.roblox.com` …), `path` the real path
 * with its base (`/api/v10/guilds/1`, `/v1/users/1`), so that provider contracts can be matched by host and path.
 * Bodies are parsed (JSON, form or the `payload_json` part in multipart); `undefined` where there was none.
 */
export interface Exchange {
  provider: Provider;
  host: string;
  method: string;
  path: string;
  query: URLSearchParams;
  requestHeaders: Readonly<Record<string, string | string[] | undefined>>;
  requestBody: unknown;
  status: number;
  responseHeaders: Readonly<Record<string, string | string[] | number | undefined>>;
  responseBody: unknown;
}

/** Called after each answer from a sandbox server. */
export type ExchangeObserver = (exchange: Exchange) => void;

/** A fault to inject: answers to the next `times` requests whose "METHOD /path" matches are delayed or replaced. */
export interface Fault {
  /** Matched against `METHOD host/path`, for example /^GET groups\.roblox\.com\//. */
  match: RegExp;
  /** How many requests it touches; endless when left out. */
  times?: number;
  delayMs?: number;
  /** Delayed until the fault is taken back. */
  held?: true;
  /** Answer with this status (429 and 5xx in the provider's own error body) instead of doing anything. */
  status?: number;
  /** Discord's error code in the body, with a status; 0 when left out. */
  code?: number;
  /** Seconds for `Retry-After`, with status 429. */
  retryAfter?: number;
  /** What the caller gets instead of the answer's body. Contract checks see the true one. Discord and Stripe. */
  reshape?: (body: unknown) => unknown;
  /** Close the socket without an answer. */
  dropSocket?: boolean;
  /** `before`: nothing is done (default). `after`: the change is made and then the fault hits, so the caller never hears. */
  when?: 'before' | 'after';
}
