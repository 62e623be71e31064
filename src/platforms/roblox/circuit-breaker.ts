import { clock } from '../../lib/clock.js';
/** When a breaker opens, and how long it refuses before it allows one trial. */
export interface BreakerLimits {
  consecutiveFailures: number;
  coolDownMs: number;
}

/**
 * Stops asking a host that keeps failing. After `consecutiveFailures` it opens and refuses at once; every `coolDownMs`
 * it allows one caller a trial. The first success closes it.
 */
export class CircuitBreaker {
  #failures = 0;
  #nextTrialAt = 0;

  constructor(private readonly limits: BreakerLimits) {}

  get isOpen(): boolean {
    return this.#failures >= this.limits.consecutiveFailures;
  }

  /** Whether the caller may make its call now; if so, it reports back with `succeeded` or `failed`. */
  admits(): boolean {
    if (!this.isOpen) return true;
    if (clock.monotonicMs() < this.#nextTrialAt) return false;
    // Moved on by the trial itself, so that a trial that never reports back cannot keep the breaker shut for ever.
    this.#nextTrialAt = clock.monotonicMs() + this.limits.coolDownMs;
    return true;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  failed(): void {
    this.#failures += 1;
    if (this.isOpen) this.#nextTrialAt = clock.monotonicMs() + this.limits.coolDownMs;
  }
}
