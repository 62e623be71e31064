import { clock } from '../../lib/clock.js';

/** The failures after which a breaker opens, and the time before it allows a trial. */
export interface BreakerLimits {
  consecutiveFailures: number;
  /** The different requests among them: one unreadable resource proves nothing about the host otherwise. */
  differentRequests: number;
  coolDownMs: number;
}

/**
 * Stops requests to a host that keeps failing. It opens after `consecutiveFailures` of `differentRequests` and refuses
 * immediately; every `coolDownMs` it allows one trial. The first success closes it.
 */
export class CircuitBreaker {
  #failures = 0;
  /** At most `differentRequests` among those that failed since the last success. */
  readonly #failed = new Set<string>();
  #nextTrialAt = 0;

  constructor(private readonly limits: BreakerLimits) {}

  get isOpen(): boolean {
    const { consecutiveFailures, differentRequests } = this.limits;
    return this.#failures >= consecutiveFailures && this.#failed.size >= differentRequests;
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
    this.#failed.clear();
  }

  /** Records a failed attempt. `request` names the request, the same for each attempt. */
  failed(request: string): void {
    this.#failures += 1;
    if (this.#failed.size < this.limits.differentRequests) this.#failed.add(request);
    if (this.isOpen) this.#nextTrialAt = clock.monotonicMs() + this.limits.coolDownMs;
  }
}
