import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import type { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { GamePlatformUnavailable } from '../../lib/errors.js';
import { noteCall } from '../../lib/last-calls.js';
import { logger } from '../../lib/logger.js';
import { secondMs } from '../../lib/time.js';
import { robloxConfig } from './roblox-config.js';
import { type RobloxHost, robloxHost } from './roblox-host.js';
import { send, serviceOf } from './roblox-http.js';

/** One write to Open Cloud by the key. Each endpoint has a limit of its own. */
export interface RobloxWrite<T> {
  endpoint: 'assign_role' | 'unassign_role' | 'accept_request' | 'decline_request';
  path: string;
  body: object;
  answer: z.ZodType<T>;
}

/** `refused` changed nothing. Its status is 503 where the host is away and nothing was sent. */
export type Written<T> =
  | { kind: 'answered'; value: T }
  | { kind: 'refused'; status: number; retryAfterSeconds?: number };

/** The statuses of refusals: nothing was changed. After any other status it may have been. */
const refusals = new Set([400, 401, 403, 404, 409, 429]);
/** The longest wait of a person for a turn; a later turn is a refusal with its time. */
const longestTurnMs = 5 * secondMs;

/**
 * Sends one write, once: after silence or a 5xx its result is unknown, and a repetition could undo a later change. It
 * then throws GamePlatformUnavailable. `signal` prevents the sending, and never cuts a sent write.
 */
export async function writeRoblox<T>(write: RobloxWrite<T>, signal: AbortSignal): Promise<Written<T>> {
  const host = robloxHost('apis');
  const limit = host.limit(write.endpoint);
  const wait = limit.turn('press', clock.monotonicMs() + longestTurnMs) - clock.monotonicMs();
  if (wait > longestTurnMs) return { kind: 'refused', status: 429, retryAfterSeconds: Math.ceil(wait / secondMs) };
  if (wait > 0) await sleep(wait, undefined, { signal });
  signal.throwIfAborted();
  if (!host.breaker.admits()) return { kind: 'refused', status: 503 };
  host.counts.requests += 1;
  try {
    const headers = { 'x-api-key': robloxConfig().apiKey ?? '' };
    const response = await send(host, { ...write, headers }, host.timeoutMs);
    limit.note(response.statusCode, response.headers);
    return await understand(host, write, response);
  } catch (error) {
    host.counts.failures += 1;
    host.breaker.failed(JSON.stringify([write.path, write.body]));
    noteCall(serviceOf(host), false);
    logger.warn({ path: write.path, err: error }, 'the result of a write to Roblox is unknown');
    throw new GamePlatformUnavailable(undefined, { cause: error });
  }
}

async function understand<T>(
  host: RobloxHost,
  write: RobloxWrite<T>,
  { statusCode: status, body }: Dispatcher.ResponseData,
): Promise<Written<T>> {
  const text = await body.text();
  if (status !== 200 && !refusals.has(status)) throw new Error(`status ${status}`);
  const answered = status === 200 ? { value: write.answer.parse(JSON.parse(text || '{}')) } : null;
  host.breaker.succeeded();
  host.isClosed = status === 401;
  noteCall(serviceOf(host), status !== 401);
  if (answered !== null) return { kind: 'answered', ...answered };
  logger.info({ path: write.path, status }, 'Roblox refused a write');
  if (status !== 429) return { kind: 'refused', status };
  const wait = host.limit(write.endpoint).turn('press') - clock.monotonicMs();
  return { kind: 'refused', status, retryAfterSeconds: Math.max(1, Math.ceil(wait / secondMs)) };
}
