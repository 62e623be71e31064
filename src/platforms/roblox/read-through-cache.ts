import { LRUCache } from 'lru-cache';
import { clock } from '../../lib/clock.js';

/**
 * Caches values by key for `ttlMs`, and lets concurrent readers of a key share one request. A missing value (`null`) is
 * not cached, nor is a failure.
 */
export class ReadThroughCache<T, How = undefined> {
  readonly #cache: LRUCache<string, { found: T | null; readAt: Date }, { how: How | undefined }>;

  constructor(limits: { max: number; ttlMs: number }, read: (key: string, how?: How) => Promise<T | null>) {
    this.#cache = new LRUCache({
      max: limits.max,
      ttl: limits.ttlMs,
      perf: { now: () => clock.monotonicMs() },
      ttlResolution: 0,
      // Readers of a request that was dropped in the meantime still get its result.
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
   * The value for this key; with `fresh`, from a request that starts now. `how` is passed to the read, if there is one.
   * Errors of the read are rethrown.
   */
  async read(key: string, { fresh = false, how }: { fresh?: boolean; how?: How | undefined } = {}): Promise<T | null> {
    if (fresh) this.#cache.delete(key);
    const { found } = await this.#cache.forceFetch(key, { context: { how } });
    return found;
  }

  /** The start of the request behind the cached answer for this key; null if none is cached. */
  readAt(key: string): Date | null {
    return this.#cache.peek(key)?.readAt ?? null;
  }
}
