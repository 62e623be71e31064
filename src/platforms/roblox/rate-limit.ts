import type { IncomingHttpHeaders } from 'node:http';
import { clock } from '../../lib/clock.js';
import { retryAfterMs } from '../../lib/retry-after.js';
import { minuteMs } from '../../lib/time.js';

/** The share of a window's requests that background work and requests over HTTP leave to others. */
const RESERVED_SHARE = 0.3;
/** Maximum wait before the next request, even if a host asks for more. */
const LONGEST_WAIT_MS = 5 * minuteMs;

/** The limit of an endpoint or a whole host, as reported in its answers (Roblox cloud/reference/rate-limits). */
export class RateLimit {
  #freeAt = 0;
  #freeForBackgroundAt = 0;

  /** The earliest time for a request, by `clock.monotonicMs()`; in the past if it may be sent now. */
  freeAt(background: boolean): number {
    return background ? Math.max(this.#freeAt, this.#freeForBackgroundAt) : this.#freeAt;
  }

  /** Notes an answer: a 429 stops all requests, a nearly used-up window stops background work. */
  note(status: number, headers: IncomingHttpHeaders): void {
    if (status === 429) this.#freeAt = Math.max(this.#freeAt, after(askedDelayMs(headers)));
    const limit = Number.parseInt(String(headers['x-ratelimit-limit']), 10);
    const remaining = Number.parseInt(String(headers['x-ratelimit-remaining']), 10);
    if (remaining <= limit * RESERVED_SHARE) this.#freeForBackgroundAt = after(seconds(headers['x-ratelimit-reset']));
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
