/**
 * The only source of time. Code asks it instead of `Date` and `performance`, so that a test can move the time of this
 * process without touching that of the database driver, of Agenda or of any other library.
 */
class Clock {
  #frozenAt: number | null = null;
  #stoodStillAt: number | null = null;
  #aheadMs = 0;
  #passedMs = 0;

  /** The time of day, for what is stored, shown and compared with other processes. It can jump. */
  now(): Date {
    return new Date(this.epochMs());
  }

  /** The same in milliseconds since 1970. */
  epochMs(): number {
    return (this.#frozenAt ?? Date.now()) + this.#aheadMs;
  }

  /** Milliseconds since some moment before the process began; never jumps. For durations, deadlines and time-outs. */
  monotonicMs(): number {
    return (this.#stoodStillAt ?? performance.now()) + this.#passedMs;
  }

  /** `at`, or now, as a library says it that asks `Date` itself. The same, unless a test has moved the time. */
  machineTime(at: Date = this.now()): Date {
    const frozenMs = this.#frozenAt === null ? 0 : Date.now() - this.#frozenAt;
    return new Date(at.getTime() - this.#aheadMs + frozenMs);
  }

  /** For tests: time passes. Timers that are already set don't notice. */
  advance(ms: number): void {
    this.#aheadMs += ms;
    this.#passedMs += ms;
  }

  /** For tests: the machine's clock is set forward, or back for a negative `ms`. Durations stay true. */
  jump(ms: number): void {
    this.#aheadMs += ms;
  }

  /** For tests: time stands still, the time of day at `at`, until it is advanced or restored. */
  freeze(at: Date): void {
    // Whole milliseconds, so that sums and differences are exact.
    this.#stoodStillAt ??= Math.ceil(performance.now());
    this.#frozenAt = at.getTime();
    this.#aheadMs = 0;
  }

  /** For tests: back to the time of day of the machine. What has passed has passed: durations do not go back. */
  restore(): void {
    this.#stoodStillAt = null;
    this.#frozenAt = null;
    this.#aheadMs = 0;
  }
}

export const clock = new Clock();
