import { clock } from '../../../lib/clock.js';

/** Discord's global limit counts calls in this time, in windows that only Discord knows (its documentation). */
const windowMs = 1_000;

/** The calls of the last second, so that the limit holds wherever Discord's second begins. */
export class RecentCalls {
  #answeredAt: number[] = [];

  /** Counts a call that was answered just now. */
  note(): void {
    this.#answeredAt.push(clock.monotonicMs());
  }

  /**
   * Milliseconds until one more call keeps to `limit` a second, counting calls without an answer yet: 0 if it does now,
   * infinite when an answer has to come first.
   */
  waitOf(limit: number, unanswered: number): number {
    const now = clock.monotonicMs();
    this.#answeredAt = this.#answeredAt.filter((time) => time > now - windowMs);
    const tooMany = this.#answeredAt.length + unanswered + 1 - limit;
    if (tooMany <= 0) return 0;
    const last = this.#answeredAt[tooMany - 1];
    return last === undefined ? Number.POSITIVE_INFINITY : last + windowMs - now;
  }
}
