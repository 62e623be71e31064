import { setTimeout as sleep } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';
import { z } from 'zod';
import { shortWaits, waitAfter } from '../../lib/backoff.js';
import { clock } from '../../lib/clock.js';
import { GamePlatformClosed, GamePlatformUnavailable } from '../../lib/errors.js';
import { currentLane } from '../../lib/lane.js';
import { noteCall } from '../../lib/last-calls.js';
import { logger } from '../../lib/logger.js';
import type { Urgency } from './rate-limit.js';
import { robloxConfig } from './roblox-config.js';
import { type RobloxHost, type RobloxHostName, robloxHost } from './roblox-host.js';

/** A caller's maximum wait for an answer, including retries and rate limits, and its maximum attempts. */
export interface Patience {
  totalMs: number;
  attempts: number;
  /** Leaves the last part of a rate limit to more urgent callers. */
  yields?: boolean;
  /** Waits for the caller's own share of the limit, once before each read. */
  turn?: () => Promise<void>;
  /** Ends the read before its next attempt; it then throws the signal's reason. */
  signal?: AbortSignal;
}

/** For requests with a person waiting, and for one member's sync. */
const interactive: Patience = { totalMs: 15_000, attempts: 4 };

/** The patience in the running code's lane (SYNC-37): requests over HTTP leave the last part of a limit to people. */
const patienceOfLane = (): Patience => ({ ...interactive, yields: yieldsToOthers() });

/** Whether the running code's reads leave the last part of a limit to others, unless a patience says so. */
export const yieldsToOthers = (): boolean => currentLane().lane === 'read';

/** For background work, which waits for a rate limit's next window (one minute) rather than start over. */
export function unhurried(signal?: AbortSignal): Patience {
  return { totalMs: 180_000, attempts: 8, yields: true, ...(signal && { signal }) };
}

type ReadEndpoint =
  | 'users'
  | 'groups'
  | 'roles'
  | 'memberships'
  | 'join_requests'
  | 'inventory'
  | 'introspect'
  | 'audit_log'
  | 'search';

/** One read; `body` makes it a POST, which Roblox uses for reads with arguments too long for a URL. */
export interface RobloxRead<T> {
  host: RobloxHostName;
  /** The Open Cloud endpoint, or the search, which has its own limit; default: the whole host. */
  endpoint?: ReadEndpoint;
  path: string;
  query?: Record<string, string | number | boolean>;
  headers?: Record<string, string>;
  body?: unknown;
  answer: z.ZodType<T>;
  patience?: Patience;
}

/**
 * A read for something that may not exist. `absent` is Roblox's status and error code for that: a number on the older
 * hosts, a word in Open Cloud. Without a code, the status alone decides.
 */
export interface RobloxLookup<T> extends RobloxRead<T> {
  absent: { status: number; code: number | string } | { status: readonly number[] };
}

/** A failed attempt; `again`: whether another one may follow. */
class AttemptFailed extends Error {
  constructor(
    reason: string,
    readonly again: boolean,
    cause?: unknown,
    /** The host refuses it for good. */
    readonly closed = false,
  ) {
    super(reason, { cause });
  }
}

/**
 * Sends a read to Roblox and returns the parsed answer; for a lookup, `null` if Roblox itself says that there is none.
 * Any other outcome becomes a GamePlatformUnavailable: silence, a long 429, 5xx, a refusal, a truncated or unknown
 * answer. It is thrown after retries with jittered exponential backoff, or immediately while the host's breaker is
 * open. A permanent refusal is a GamePlatformClosed, with a message. undici's retry interceptor is not used. It
 * shortens a `retry-after` to its own limit instead of giving up, and knows neither jitter nor `x-ratelimit-reset`. It
 * also resumes cut answers by range requests, and hides attempts from the breaker.
 */
export async function readRoblox<T>(read: RobloxLookup<T>): Promise<T | null>;
export async function readRoblox<T>(read: RobloxRead<T>): Promise<T>;
export async function readRoblox<T>(read: RobloxRead<T> | RobloxLookup<T>): Promise<T | null> {
  const host = robloxHost(read.host);
  const patience = read.patience ?? patienceOfLane();
  await patience.turn?.();
  const deadline = clock.monotonicMs() + patience.totalMs;
  let notBefore = 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await awaitTurn(host, { ...read, patience }, notBefore, deadline);
      host.counts.requests += 1;
      if (attempt > 1) host.counts.retries += 1;
      return await ask(host, read, deadline - clock.monotonicMs());
    } catch (error) {
      patience.signal?.throwIfAborted();
      if (!(error instanceof AttemptFailed)) throw error;
      if (!error.again || attempt >= patience.attempts) throw giveUp(host, read, attempt, error);
      notBefore = clock.monotonicMs() + waitAfter(attempt, shortWaits);
    }
  }
}

/** The error for an answer that is well-formed but can't be complete; `reason` goes to the log only. */
export function incompleteAnswer(reason: string): GamePlatformUnavailable {
  logger.warn({ reason }, 'incomplete answer from Roblox');
  return new GamePlatformUnavailable(undefined, { cause: new Error(reason) });
}

function giveUp<T>(host: RobloxHost, read: RobloxRead<T>, attempts: number, failure: AttemptFailed): Error {
  host.counts.failures += 1;
  const cause = failure.cause instanceof Error ? failure.cause.message : undefined;
  logger.warn({ host: host.name, path: read.path, attempts, reason: failure.message, cause }, 'Roblox read failed');
  if (!failure.closed) return new GamePlatformUnavailable(undefined, { cause: failure });
  return new GamePlatformClosed(closedWords(read.host), { cause: failure });
}

function closedWords(host: RobloxHostName): string {
  if (host === 'apis') return "Roblox refuses the API key of this bot's host (ROBLOX_API_KEY).";
  return robloxConfig().apiKey === undefined
    ? "Roblox no longer answers this without an API key; this bot's host has to set ROBLOX_API_KEY."
    : 'Roblox no longer answers this.';
}

/** Waits for the backoff and the host's rate limit, within the caller's time, and checks the breaker. */
async function awaitTurn<T>(
  host: RobloxHost,
  { endpoint, patience }: RobloxRead<T> & { patience: Patience },
  notBefore: number,
  deadline: number,
): Promise<void> {
  const { signal } = patience;
  signal?.throwIfAborted();
  const at = Math.max(notBefore, host.limit(endpoint ?? '').turn(urgencyOf(patience), deadline));
  if (at > deadline) throw new AttemptFailed('the next attempt would come too late for the caller', false);
  if (at > clock.monotonicMs()) await sleep(at - clock.monotonicMs(), undefined, { signal });
  if (!host.breaker.admits()) throw new AttemptFailed('the breaker is open', false);
}

function urgencyOf({ yields }: Patience): Urgency {
  if (yields === true) return 'yielding';
  return currentLane().lane === 'press' ? 'press' : 'sync';
}

async function ask<T>(host: RobloxHost, read: RobloxRead<T> | RobloxLookup<T>, remainingMs: number): Promise<T | null> {
  try {
    const response = await send(host, read, Math.min(host.timeoutMs, Math.max(1, remainingMs)));
    host.limit(read.endpoint ?? '').note(response.statusCode, response.headers);
    const value = understand(read, response.statusCode, await response.body.text());
    host.breaker.succeeded();
    host.isClosed = false;
    noteCall(serviceOf(host), true);
    return value;
  } catch (error) {
    if (error instanceof AttemptFailed) {
      host.breaker.succeeded();
      if (error.closed) host.isClosed = true;
      noteCall(serviceOf(host), !error.closed && !error.again);
      throw error;
    }
    host.breaker.failed(JSON.stringify([read.path, read.query, read.body]));
    noteCall(serviceOf(host), false);
    throw new AttemptFailed('no usable answer', true, error);
  }
}

export const serviceOf = ({ name }: RobloxHost): string => `roblox_${name}`;

/** Sends one request, of a read or a write. `stop` cuts it. */
export function send(
  host: RobloxHost,
  read: Pick<RobloxRead<unknown>, 'path' | 'query' | 'headers' | 'body'>,
  timeoutMs: number,
  stop?: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const post = read.body !== undefined;
  // It accepts only whole milliseconds.
  const timeout = AbortSignal.timeout(Math.ceil(timeoutMs));
  return request(`${host.baseUrl}${read.path}`, {
    dispatcher: host.agent,
    method: post ? 'POST' : 'GET',
    headers: {
      accept: 'application/json',
      'user-agent': 'rolelink',
      ...(post && { 'content-type': 'application/json' }),
      ...read.headers,
    },
    ...(read.query && { query: read.query }),
    ...(post && { body: JSON.stringify(read.body) }),
    signal: stop === undefined ? timeout : AbortSignal.any([timeout, stop]),
  });
}

/** The older hosts and the gateway list their errors; Open Cloud returns one. */
const refusal = z.union([
  z
    .object({ errors: z.array(z.object({ code: z.number() })) })
    .transform(({ errors }) => errors.map(({ code }) => code)),
  z.object({ code: z.string() }).transform(({ code }) => [code]),
]);

/**
 * Parses an answer. AttemptFailed means that the host works but won't serve this request (now); any other error counts
 * against the host.
 */
function understand<T>(read: RobloxRead<T> | RobloxLookup<T>, status: number, text: string): T | null {
  if (status === 200) return read.answer.parse(JSON.parse(text));
  if (status === 429) throw new AttemptFailed('rate limited', true);
  if (status >= 500 || status === 408) throw new Error(`status ${status}`);
  if ('absent' in read && isAbsent(read.absent, status, text)) return null;
  throw new AttemptFailed(`refused with status ${status}`, false, undefined, isClosed(read.host, status));
}

function isAbsent(absent: RobloxLookup<unknown>['absent'], status: number, text: string): boolean {
  if (!('code' in absent)) return absent.status.includes(status);
  if (status !== absent.status) return false;
  const codes: unknown[] = refusal.parse(JSON.parse(text));
  return codes.includes(absent.code);
}

/** Open Cloud refuses a wrong key with 401; a 403 or 404 there is about the requested resource only. */
function isClosed(host: RobloxHostName, status: number): boolean {
  return host === 'apis' ? status === 401 : [401, 403, 404, 410].includes(status);
}
