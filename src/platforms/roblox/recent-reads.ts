import { LRUCache } from 'lru-cache';
import { clock } from '../../lib/clock.js';

/**
 * Remembers what was read under a key for `ttlMs`, and lets concurrent readers of a key share one request. "There is
 * none" (`null`) is not remembered, nor is a failure.
 */
export class RecentReads<T, How = undefined> {
  readonly #cache: LRUCache<string, { found: T | null; readAt: Date }, { how: How | undefined }>;

  constructor(limits: { max: number; ttlMs: number }, read: (key: string, how?: How) => Promise<T | null>) {
    this.#cache = new LRUCache({
      max: limits.max,
      ttl: limits.ttlMs,
      perf: { now: () => clock.monotonicMs() },
      ttlResolution: 0,
      // Readers of a request that was forgotten meanwhile still get its result.
      ignoreFetchAbort: true,
      fetchMethod: async (key, _stale, { options, context }) => {
        const readAt = clock.now();
        const found = await read(key, context.how);
        if (found === null) options.ttl = 1;
        return { found, readAt };
      },
    });
  }

  /**
   * The value under this key; with `fresh`, from a request that starts now. `how` is handed to the read, if one is made.
   * Errors of the read are passed on.
   */
  async read(key: string, { fresh = false, how }: { fresh?: boolean; how?: How | undefined } = {}): Promise<T | null> {
    if (fresh) this.#cache.delete(key);
    const { found } = await this.#cache.forceFetch(key, { context: { how } });
    return found;
  }

  /** When the request began whose answer is remembered under this key; null when none is. */
  readAt(key: string): Date | null {
    return this.#cache.peek(key)?.readAt ?? null;
  }
}
