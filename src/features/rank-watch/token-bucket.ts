import { setTimeout as sleep } from 'node:timers/promises';
import { clock } from '../../lib/clock.js';
import { minuteMs } from '../../lib/time.js';

/** The part of a minute's calls that may be made in a burst. */
const burstShare = 0.05;
/** Maximum sleep, since a test may have moved the clock. */
const longestSleepMs = 1_000;

/**
 * Spreads calls over the minute: no minute exceeds `perMinute`. Calls that are not urgent leave half a burst to urgent
 * ones.
 */
export class TokenBucket {
  readonly #burst: number;
  readonly #perMs: number;
  #left: number;
  #at = clock.monotonicMs();

  constructor(perMinute: number) {
    this.#burst = Math.max(2, Math.floor(perMinute * burstShare));
    this.#perMs = Math.max(1, perMinute - this.#burst) / minuteMs;
    this.#left = this.#burst;
  }

  msOf(calls: number): number {
    return calls / this.#perMs;
  }

  /** Whether a call that is not urgent may be made now. */
  get hasRoom(): boolean {
    this.#refill();
    return this.#left >= this.#needed(false);
  }

  /** Resolves when a call may be made. Throws the signal's reason. */
  async take({ urgent = false, signal }: { urgent?: boolean; signal: AbortSignal }): Promise<void> {
    const needed = this.#needed(urgent);
    for (;;) {
      signal.throwIfAborted();
      this.#refill();
      if (this.#left >= needed) break;
      const waitMs = Math.min(longestSleepMs, (needed - this.#left) / this.#perMs);
      await sleep(Math.max(1, Math.ceil(waitMs)), undefined, { signal });
    }
    this.#left -= 1;
  }

  #needed(urgent: boolean): number {
    return urgent ? 1 : 1 + this.#burst / 2;
  }

  #refill(): void {
    const now = clock.monotonicMs();
    this.#left = Math.min(this.#burst, this.#left + (now - this.#at) * this.#perMs);
    this.#at = now;
  }
}
