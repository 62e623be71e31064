import { createHash } from 'node:crypto';
import { clock } from '../../../src/lib/clock.js';
import { CallWindows } from '../kit/call-windows.js';
import { globalLimit, type RateLimit, rateLimits, usualLimit } from './rate-limits.js';

export type RateLimitOverrides = Readonly<Record<string, RateLimit>>;

/** A call's bucket state, and whether the call may proceed. */
export interface RateVerdict {
  readonly allowed: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** Seconds until a refused call makes sense again. */
  readonly retryAfter: number;
  readonly global: boolean;
}

/** Counts calls in fixed windows: for each bot over all, and for each bucket (endpoint and top-level id). */
export class RateLimiter {
  readonly #windows = new CallWindows();

  constructor(readonly overrides: RateLimitOverrides = {}) {}

  /** Counts a call to `endpoint`; `bot` is absent for calls that the global limit leaves out. */
  take(endpoint: string, topLevelId: string, bot: string | undefined): RateVerdict {
    if (bot !== undefined) {
      const global = this.#windows.count(`global ${bot}`, this.overrides.global ?? globalLimit);
      if (global.over) return globalRefusal(global.secondsLeft);
    }
    const rule = this.overrides[endpoint] ?? rateLimits[endpoint] ?? usualLimit;
    const { over, used, secondsLeft } = this.#windows.count(`${endpoint} ${topLevelId}`, rule);
    const headers: Record<string, string> = {
      'X-RateLimit-Limit': String(rule.limit),
      'X-RateLimit-Remaining': String(Math.max(0, rule.limit - used)),
      'X-RateLimit-Reset': (clock.epochMs() / 1000 + secondsLeft).toFixed(3),
      'X-RateLimit-Reset-After': secondsLeft.toFixed(3),
      'X-RateLimit-Bucket': createHash('md5').update(endpoint).digest('hex'),
    };
    if (over) Object.assign(headers, { 'X-RateLimit-Scope': 'user', 'Retry-After': String(Math.ceil(secondsLeft)) });
    return { allowed: !over, headers, retryAfter: secondsLeft, global: false };
  }
}

export function rateLimitBody(retryAfter: number, global: boolean) {
  return { message: 'You are being rate limited.', retry_after: Number(retryAfter.toFixed(3)), global };
}

function globalRefusal(secondsLeft: number): RateVerdict {
  const headers = {
    'X-RateLimit-Global': 'true',
    'X-RateLimit-Scope': 'global',
    'Retry-After': String(Math.ceil(secondsLeft)),
  };
  return { allowed: false, headers, retryAfter: secondsLeft, global: true };
}
