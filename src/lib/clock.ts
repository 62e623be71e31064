/**
 * The only time source. Code uses it instead of `Date` and `performance`, so a test can change this process's time
 * without affecting the database driver, Agenda or other libraries.
 */
class Clock {
  #frozenAt: number | null = null;
  #stoodStillAt: number | null = null;
  #aheadMs = 0;
  #passedMs = 0;

  /** The wall-clock time, for stored and shown times and for comparison with other processes. It can jump. */
  now(): Date {
    return new Date(this.epochMs());
  }

  epochMs(): number {
    return (this.#frozenAt ?? Date.now()) + this.#aheadMs;
  }

  /** Milliseconds since a moment before the process began; never jumps. For durations, deadlines and time-outs. */
  monotonicMs(): number {
    return (this.#stoodStillAt ?? performance.now()) + this.#passedMs;
  }

  /** `monotonicMs` as running timers measure it: the same, unless a test has changed ours. */
  timerMs(): number {
    return performance.now();
  }

  /** `at`, or now, as libraries that call `Date` themselves see it. The same time, unless a test has changed ours. */
  machineTime(at: Date = this.now()): Date {
    const frozenMs = this.#frozenAt === null ? 0 : Date.now() - this.#frozenAt;
    return new Date(at.getTime() - this.#aheadMs + frozenMs);
  }

  /** For tests: time passes. Running timers don't notice. */
  advance(ms: number): void {
    this.#aheadMs += ms;
    this.#passedMs += ms;
  }

  /** For tests: the machine's clock is set forward, or back for a negative `ms`. Durations stay correct. */
  jump(ms: number): void {
    this.#aheadMs += ms;
  }

  /** For tests: stops time, with the wall clock at `at`, until it is advanced or restored. */
  freeze(at: Date): void {
    // Whole milliseconds, so that sums and differences are exact.
    this.#stoodStillAt ??= Math.ceil(performance.now());
    this.#frozenAt = at.getTime();
    this.#aheadMs = 0;
  }

  /** For tests: back to the machine's wall clock. Elapsed time stays elapsed: durations do not go back. */
  restore(): void {
    this.#stoodStillAt = null;
    this.#frozenAt = null;
    this.#aheadMs = 0;
  }
}

export const clock = new Clock();
