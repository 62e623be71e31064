import type { IncomingHttpHeaders } from 'node:http';
import { clock } from '../../lib/clock.js';
import { retryAfterMs } from '../../lib/retry-after.js';
import { minuteMs } from '../../lib/time.js';

/** By urgency: people wait, a join's or member's sync, and what yields to both (ROBLOX-2). */
export type Urgency = 'press' | 'sync' | 'yielding';

/** The share of a window's requests from which on these callers no longer ask as they come. */
const reservedShare: Readonly<Record<Urgency, number>> = { press: 0.1, sync: 0.3, yielding: 0.3 };
/** Maximum wait before the next request, even if a host asks for more. */
const LONGEST_WAIT_MS = 5 * minuteMs;

/** The limit for an endpoint or a whole host, as reported in its answers (Roblox cloud/reference/rate-limits). */
export class RateLimit {
  #freeAt = 0;
  #limit = 0;
  #remaining = 0;
  #resetAt = 0;
  #nextTurn = 0;

  /**
   * The earliest time for a request, by `clock.monotonicMs()`; in the past if it may be sent now. A used-up window
   * stops everybody. Near its end, requests that may go on take turns, spread over the remaining window: nobody waits
   * for the next one. A turn after `latest` is told, but not taken.
   */
  turn(urgency: Urgency, latest = Number.POSITIVE_INFINITY): number {
    const leftMs = this.#resetAt - clock.monotonicMs();
    if (leftMs <= 0 || this.#remaining > this.#limit * reservedShare[urgency]) return this.#freeAt;
    if (urgency === 'yielding' || this.#remaining === 0) return Math.max(this.#freeAt, this.#resetAt);
    const at = Math.max(this.#freeAt, this.#nextTurn, clock.monotonicMs());
    if (at <= latest) this.#nextTurn = Math.min(this.#resetAt, at + leftMs / this.#remaining);
    return at;
  }

  /** Notes an answer: a 429 stops all requests, a nearly used-up window slows them. */
  note(status: number, headers: IncomingHttpHeaders): void {
    if (status === 429) this.#freeAt = Math.max(this.#freeAt, after(askedDelayMs(headers)));
    const limit = Number.parseInt(String(headers['x-ratelimit-limit']), 10);
    const remaining = Number.parseInt(String(headers['x-ratelimit-remaining']), 10);
    if (!(remaining <= limit)) return;
    this.#limit = limit;
    this.#remaining = remaining;
    this.#resetAt = after(seconds(headers['x-ratelimit-reset']));
  }
}

function after(delayMs = 0): number {
  return clock.monotonicMs() + Math.min(delayMs, LONGEST_WAIT_MS);
}

/**
 * The wait requested by a 429, in milliseconds: `retry-after`, else `x-ratelimit-reset` (seconds, Open Cloud rate
 * limits). `undefined` without either.
 */
function askedDelayMs(headers: IncomingHttpHeaders): number | undefined {
  return retryAfterMs(headers['retry-after']) ?? seconds(headers['x-ratelimit-reset']);
}

function seconds(value: string | string[] | undefined): number | undefined {
  return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : undefined;
}
