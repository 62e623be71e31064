import { LRUCache } from 'lru-cache';
import { clock } from './clock.js';
import { RateLimited } from './errors.js';
import { KeyedQueue } from './keyed-queue.js';
import { SlidingCount } from './sliding-count.js';
import { secondMs } from './time.js';

interface Account {
  /** Time that is used up by `at`, in milliseconds. */
  usedMs: number;
  at: number;
}

const windowSeconds = 60;

/**
 * Each key's share of this process's time. Its work runs one after another. Used time comes back at `share` (0 to 1),
 * so that in the long run no key takes more, and up to `atOnceMs` may be used without a pause. At most `mostAMinute`
 * works begin in a minute.
 */
export class TimeShare {
  readonly #turns = new KeyedQueue();
  readonly #accounts = new Map<string, Account>();
  readonly #begun = new LRUCache<string, SlidingCount>({ max: 10_000 });

  constructor(
    readonly atOnceMs: number,
    readonly share: number,
    readonly mostAMinute: number,
  ) {}

  /**
   * Runs `work` alone under `key`. Its error is rethrown. `goesOn`: it continues earlier work, and doesn't count as begun.
   * @throws RateLimited while the share is used up.
   */
  async run<T>(key: string, work: () => Promise<T>, { goesOn = false } = {}): Promise<T> {
    if (!goesOn) this.#count(key);
    return this.#turns.add(key, async () => {
      const beyondMs = this.#used(key) - this.atOnceMs;
      if (beyondMs > 0) throw usedUp(Math.ceil(beyondMs / this.share / secondMs));
      const begun = clock.monotonicMs();
      try {
        return await work();
      } finally {
        const at = clock.monotonicMs();
        this.#accounts.set(key, { usedMs: this.#used(key) + at - begun, at });
      }
    });
  }

  #count(key: string): void {
    const begun = this.#begun.get(key) ?? new SlidingCount(windowSeconds);
    this.#begun.set(key, begun);
    const seconds = begun.secondsUntilBelow(this.mostAMinute);
    if (seconds > 0) throw usedUp(seconds);
    begun.add();
  }

  #used(key: string): number {
    const account = this.#accounts.get(key);
    if (account === undefined) return 0;
    const left = account.usedMs - (clock.monotonicMs() - account.at) * this.share;
    if (left <= 0) this.#accounts.delete(key);
    return Math.max(left, 0);
  }
}

const usedUp = (seconds: number): RateLimited =>
  new RateLimited(seconds, `This server has used its share of previews and dry runs. Try again in ${seconds} s.`);
