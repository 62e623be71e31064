import { LRUCache } from 'lru-cache';
import { clock } from '../../lib/clock.js';

/**
 * Remembers what was read under a key for `ttlMs`, and lets concurrent readers of a key share one request. "There is
 * none" (`null`) is not remembered, nor is a failure.
 */
export class RecentReads<T> {
  readonly #cache: LRUCache<string, { found: T | null; readAt: Date }>;

  constructor(limits: { max: number; ttlMs: number }, read: (key: string) => Promise<T | null>) {
    this.#cache = new LRUCache({
      max: limits.max,
      ttl: limits.ttlMs,
      perf: { now: () => clock.monotonicMs() },
      ttlResolution: 0,
      // Readers of a request that was forgotten meanwhile still get its result.
      ignoreFetchAbort: true,
      fetchMethod: async (key, _stale, { options }) => {
        const readAt = clock.now();
        const found = await read(key);
        if (found === null) options.ttl = 1;
        return { found, readAt };
      },
    });
  }

  /** The value under this key; with `fresh`, from a request that starts now. Errors of the read are passed on. */
  async read(key: string, options: { fresh?: boolean } = {}): Promise<T | null> {
    if (options.fresh) this.#cache.delete(key);
    const { found } = await this.#cache.forceFetch(key);
    return found;
  }

  /** When the request began whose answer is remembered under this key; null when none is. */
  readAt(key: string): Date | null {
    return this.#cache.peek(key)?.readAt ?? null;
  }
}
