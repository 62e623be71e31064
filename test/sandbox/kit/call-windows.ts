import { LRUCache } from 'lru-cache';
import { clock } from '../../../src/lib/clock.js';

/** A counted call: whether it is beyond the limit, how many were allowed, and how long the window lasts. */
export interface CountedCall {
  over: boolean;
  used: number;
  secondsLeft: number;
}

/** Counts calls in fixed windows, one for each key, which begin with their first call. */
export class CallWindows {
  readonly #windows = new LRUCache<string, { used: number }>({
    max: 50_000,
    perf: { now: () => clock.monotonicMs() },
    ttlResolution: 0,
  });

  /** Counts a call against `limit` in `seconds`. One that is too many is not counted. */
  count(key: string, { limit, seconds }: { limit: number; seconds: number }): CountedCall {
    let window = this.#windows.get(key);
    if (!window) {
      window = { used: 0 };
      this.#windows.set(key, window, { ttl: seconds * 1000 });
    }
    const over = window.used >= limit;
    if (!over) window.used += 1;
    return { over, used: window.used, secondsLeft: Math.max(0.001, this.#windows.getRemainingTTL(key) / 1000) };
  }
}
