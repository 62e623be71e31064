import { clock } from '../../lib/clock.js';
/** The failures after which a breaker opens, and the time before it allows a trial. */
export interface BreakerLimits {
  consecutiveFailures: number;
  coolDownMs: number;
}

/**
 * Stops requests to a host that keeps failing. After `consecutiveFailures` it opens and refuses immediately; every
 * `coolDownMs` it allows one trial. The first success closes it.
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
    // The trial itself postpones the next one, so an unreported trial can't block the host forever.
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
