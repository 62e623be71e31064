import { clock } from '../../../lib/clock.js';

/** The period for Discord's global limit, in windows known only to Discord (its documentation). */
const windowMs = 1_000;

/** The last second's calls, so that the limit holds whenever Discord's window starts. */
export class RecentCalls {
  #answeredAt: number[] = [];

  note(): void {
    this.#answeredAt.push(clock.monotonicMs());
  }

  /**
   * Milliseconds until one more call keeps to `limit` a second, counting unanswered calls. 0 if it does now; infinite
   * if an answer has to come first.
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
