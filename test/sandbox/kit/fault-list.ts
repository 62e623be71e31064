import type { Fault } from './exchange.js';

/** The faults waiting to hit a request, oldest first. */
export class FaultList<Kind extends Fault = Fault> {
  #waiting: { fault: Kind; left: number }[] = [];

  /** Adds a fault and returns how to take it back. */
  inject(fault: Kind): () => void {
    const entry = { fault, left: fault.times ?? Number.POSITIVE_INFINITY };
    this.#waiting.push(entry);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== entry);
    };
  }

  clear(): void {
    this.#waiting = [];
  }

  /** The fault that hits `METHOD host/path`, counted as used. */
  take(request: string): Kind | undefined {
    const entry = this.#waiting.find(({ fault, left }) => left > 0 && request.search(fault.match) >= 0);
    if (!entry) return undefined;
    entry.left -= 1;
    if (entry.left === 0) this.#waiting = this.#waiting.filter((other) => other !== entry);
    return entry.fault;
  }
}
