import { clock } from './clock.js';
/** Counts events in the last `windowSeconds`, to the second. */
export class SlidingCount {
  readonly #bySecond = new Map<number, number>();
  #total = 0;

  constructor(readonly windowSeconds: number) {}

  add(): void {
    const second = Math.floor(clock.monotonicMs() / 1000);
    this.#bySecond.set(second, (this.#bySecond.get(second) ?? 0) + 1);
    this.#total += 1;
  }

  get total(): number {
    this.#forgetOld();
    return this.#total;
  }

  /** Seconds until fewer than `bound` are left; 0 if that is already true. */
  secondsUntilBelow(bound: number): number {
    let left = this.total;
    let seconds = 0;
    for (const [second, count] of this.#bySecond) {
      if (left < bound) break;
      left -= count;
      seconds = second + this.windowSeconds + 1 - Math.floor(clock.monotonicMs() / 1000);
    }
    return seconds;
  }

  #forgetOld(): void {
    const oldest = Math.floor(clock.monotonicMs() / 1000) - this.windowSeconds;
    for (const [second, count] of this.#bySecond) {
      if (second >= oldest) return;
      this.#bySecond.delete(second);
      this.#total -= count;
    }
  }
}
