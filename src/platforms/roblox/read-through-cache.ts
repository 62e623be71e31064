import { LRUCache } from 'lru-cache';
import { clock } from '../../lib/clock.js';

/**
 * Caches values by key for `ttlMs`, and lets a key's concurrent readers share one request. A missing value (`null`) is
 * not cached, nor is a failure.
 */
export class ReadThroughCache<T, How = undefined> {
  /** The keys whose running request yields to others, so that it may wait for a limit's next window. */
  readonly #yielding = new Set<string>();
  readonly #cache: LRUCache<string, { found: T | null; readAt: Date }, { how: How | undefined; yields: boolean }>;

  constructor(limits: { max: number; ttlMs: number }, read: (key: string, how?: How) => Promise<T | null>) {
    this.#cache = new LRUCache({
      max: limits.max,
      ttl: limits.ttlMs,
      perf: { now: () => clock.monotonicMs() },
      ttlResolution: 0,
      // A request's readers, if it was dropped in the meantime, still get its result.
      ignoreFetchAbort: true,
      fetchMethod: async (key, _stale, { options, context }) => {
        const readAt = clock.now();
        if (context.yields) this.#yielding.add(key);
        else this.#yielding.delete(key);
        const found = await read(key, context.how).finally(() => this.#yielding.delete(key));
        if (found === null) options.ttl = 1;
        return { found, readAt };
      },
    });
  }

  /**
   * The value for this key; with `fresh`, from a request that starts now. `how` is passed to the read, if there is one.
   * A reader that doesn't yield never waits for a yielding reader's request (ROBLOX-25). The read's errors are
   * rethrown.
   */
  async read(
    key: string,
    { fresh = false, yields = false, how }: { fresh?: boolean; yields?: boolean; how?: How | undefined } = {},
  ): Promise<T | null> {
    if (fresh || (!yields && this.#yielding.has(key))) this.#cache.delete(key);
    const { found } = await this.#cache.forceFetch(key, { context: { how, yields } });
    return found;
  }

  /** Keeps a value read elsewhere at this time, unless a later one is cached. */
  keep(key: string, found: T, readAt: Date): void {
    const cached = this.readAt(key);
    if (cached === null || cached <= readAt) this.#cache.set(key, { found, readAt });
  }

  /** When the request started behind the cached answer for this key; null if none is cached. */
  readAt(key: string): Date | null {
    return this.#cache.peek(key)?.readAt ?? null;
  }
}
