import { LRUCache } from 'lru-cache';
import { clock } from '../../lib/clock.js';

/**
 * Remembers what was read of a key for `ttlMs`, and lets concurrent readers of a key share one request. That there is
 * no such thing (`null`) is not remembered, nor is a failure.
 */
export class RecentReads<T> {
  readonly #cache: LRUCache<string, { found: T | null }>;

  constructor(limits: { max: number; ttlMs: number }, read: (key: string) => Promise<T | null>) {
    this.#cache = new LRUCache({
      max: limits.max,
      ttl: limits.ttlMs,
      perf: { now: () => clock.monotonicMs() },
      ttlResolution: 0,
      // Whoever waits for a read that has meanwhile been forgotten still gets its result.
      ignoreFetchAbort: true,
      fetchMethod: async (key, _stale, { options }) => {
        const found = await read(key);
        if (found === null) options.ttl = 1;
        return { found };
      },
    });
  }

  /** What is there under this key; with `fresh`, from a request that begins now. Errors of the read are passed on. */
  async read(key: string, options: { fresh?: boolean } = {}): Promise<T | null> {
    if (options.fresh) this.#cache.delete(key);
    const { found } = await this.#cache.forceFetch(key);
    return found;
  }
}
