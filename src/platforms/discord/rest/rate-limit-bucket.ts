import { LRUCache } from 'lru-cache';
import { clock } from '../../../lib/clock.js';
import { isUrgent, type Lane } from '../../../lib/lane.js';
import { retryAfterMs } from '../../../lib/retry-after.js';
import type { RestCall } from './rest-call.js';

/** The share of a window that each lane leaves to more urgent calls. */
export const reserveShare: Readonly<Record<Lane, number>> = { press: 0, join: 0, single: 0.1, read: 0.2, bulk: 0.2 };
/** At most this many calls are kept free per window, unless people ask for more. */
const mostReserved: Readonly<Record<Lane, number>> = { press: 0, join: 0, single: 1, read: 4, bulk: 4 };

/**
 * At the end of a window, the unused reserve is released, so that keeping it costs no time. That happens when just
 * enough time is left, with this margin, and at most in this share of the window.
 */
const spareMs = 30;
const lateShare = 0.02;
/**
 * Minimum window length for that: discord.js waits 100 ms longer on purpose, which would delay people more in shorter
 * windows.
 */
const leastLateWindowMs = 2_500;

/** Discord's windows are no shorter than this. */
const leastWindowMs = 1_000;

/** A Discord rate-limit bucket, by the latest answer. Times are the monotonic clock's. */
export class RateLimitBucket {
  #limit = 1;
  #remaining = 0;
  #resetAt = 0;
  #windowMs = 0;
  /** Urgent calls requested in this window and in the previous one. */
  #asked = 0;
  #askedBefore = 0;
  /** Urgent calls requested since this window ended, before any answer from the next one. */
  #askedBetween = 0;
  /** The unanswered ones among these calls. */
  #open = 0;

  /** Notes an answer's headers: `remaining` of `limit` calls in the next `resetMs`. */
  note(limit: number, remaining: number, resetMs: number): void {
    const resetAt = clock.monotonicMs() + resetMs;
    if (this.#isOfNewWindow(resetAt, resetMs)) {
      this.#windowMs = resetMs;
      this.#askedBefore = this.#asked;
      this.#asked = this.#askedBetween;
      this.#askedBetween = 0;
    }
    this.#limit = limit;
    this.#remaining = remaining;
    this.#resetAt = resetAt;
  }

  /** Notes a refusal: no call until it is over. */
  noteRefusal(retryMs: number): void {
    this.#remaining = 0;
    this.#resetAt = Math.max(this.#resetAt, clock.monotonicMs() + retryMs);
  }

  /**
   * Notes an urgent call, which may have to wait for the window's end. The next window keeps as many calls free,
   * plus one. Waiting calls are added on top, or each window would begin with a shortage. @returns the function to call
   * when it is answered.
   */
  noteUrgent(): () => void {
    if (clock.monotonicMs() < this.#resetAt) this.#asked += 1;
    else this.#askedBetween += 1;
    this.#open += 1;
    return () => {
      this.#open -= 1;
    };
  }

  /** The length of its windows, in milliseconds; 0 before the first answer. */
  get windowMs(): number {
    return this.#windowMs;
  }

  /** Whether the window is used up, so that discord.js delays further calls. */
  get isEmpty(): boolean {
    return this.#remaining === 0 && this.#resetAt > clock.monotonicMs();
  }

  /**
   * Milliseconds until a call in that lane may go: 0 while the window has more left than the lane's reserve. `answerMs`
   * is Discord's answer time.
   */
  waitOf(lane: Lane, answerMs: number): number {
    const left = Math.max(0, this.#resetAt - clock.monotonicMs());
    if (this.#remaining > (isUrgent(lane) ? 0 : this.#reserve(lane))) return 0;
    if (this.#remaining === 0 || this.#windowMs < leastLateWindowMs) return left;
    return Math.max(0, left - Math.min(this.#windowMs * lateShare, spareMs + 2 * answerMs * this.#remaining));
  }

  /**
   * A window is identified by its end. Answer times vary: a window's first answer can come slightly before the previous
   * one seems over, and its last slightly after it.
   */
  #isOfNewWindow(resetAt: number, resetMs: number): boolean {
    const movedMs = resetAt - this.#resetAt;
    return movedMs >= Math.min(this.#windowMs, Math.max(resetMs, leastWindowMs)) / 2;
  }

  #reserve(lane: Lane): number {
    const share = Math.min(mostReserved[lane], Math.ceil(this.#limit * reserveShare[lane]));
    const expected = this.#askedBefore === 0 ? 0 : this.#askedBefore + 1 - this.#asked;
    return Math.min(this.#limit - 1, Math.max(share, Math.max(0, expected) + this.#open));
  }
}

/**
 * The bucket in which a call counts. Discord names it in its answers; before the first answer, the endpoint is used.
 */
export class RateLimitBuckets {
  readonly #names = new LRUCache<string, string>({ max: 1_000 });
  readonly #buckets = new LRUCache<string, RateLimitBucket>({
    max: 10_000,
    memoMethod: () => new RateLimitBucket(),
  });

  of({ endpoint, resource }: RestCall): RateLimitBucket {
    return this.#buckets.memo(`${this.#names.get(endpoint) ?? endpoint} ${resource}`);
  }

  /** Notes an answer's rate-limit headers. The global limit is excluded: the REST client obeys that. */
  note(call: RestCall, status: number, headers: Pick<Headers, 'get' | 'has'>): void {
    if (headers.has('x-ratelimit-global')) return;
    const name = headers.get('x-ratelimit-bucket');
    if (name !== null) this.#names.set(call.endpoint, name);
    const bucket = this.of(call);
    const [limit, remaining, resetAfter] = ['limit', 'remaining', 'reset-after'].map((field) => {
      const value = headers.get(`x-ratelimit-${field}`);
      return value === null ? undefined : Number(value);
    });
    if (limit !== undefined && remaining !== undefined && resetAfter !== undefined) {
      bucket.note(limit, remaining, resetAfter * 1000);
    }
    if (status === 429) bucket.noteRefusal(retryAfterMs(headers.get('retry-after')) ?? 0);
  }
}
