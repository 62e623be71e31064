import type { Fault } from './exchange.js';

/** A fault that waits for requests, and how those that it holds are let go. */
interface Entry<Kind extends Fault> {
  fault: Kind;
  left: number;
  /** Called when a request begins to wait. */
  onHeld: () => void;
  released: Promise<void>;
  release: () => void;
}

/** A request that is kept back. */
export interface Hold {
  /** Resolves when the request waits; where the fault is `after`, when all is done but the answer. */
  reached: Promise<void>;
  letGo(): void;
}

/** The faults waiting to hit a request, oldest first. */
export class FaultList<Kind extends Fault = Fault> {
  #entries: Entry<Kind>[] = [];

  /** Adds a fault and returns how to take it back, which lets go what it holds. */
  inject(fault: Kind, onHeld: () => void = () => {}): () => void {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const entry = { fault, left: fault.times ?? Number.POSITIVE_INFINITY, onHeld, released, release };
    this.#entries.push(entry);
    return () => {
      this.#entries = this.#entries.filter((other) => other !== entry);
      release();
    };
  }

  /** Keeps the next request that matches back, or the next `times`, until it is let go or all faults are cleared. */
  hold(fault: Kind): Hold {
    let onHeld = (): void => {};
    const reached = new Promise<void>((resolve) => {
      onHeld = resolve;
    });
    return { reached, letGo: this.inject({ times: 1, ...fault, held: true }, onHeld) };
  }

  clear(): void {
    for (const { release } of this.#entries) release();
    this.#entries = [];
  }

  /** The fault that hits `METHOD host/path`, counted as used; `released` when it is taken back. */
  take(request: string): Pick<Entry<Kind>, 'fault' | 'onHeld' | 'released'> | undefined {
    const entry = this.#entries.find(({ fault, left }) => left > 0 && request.search(fault.match) >= 0);
    if (!entry) return undefined;
    entry.left -= 1;
    // One that holds a request stays until it is taken back.
    if (entry.left === 0 && !entry.fault.held) this.#entries = this.#entries.filter((other) => other !== entry);
    return entry;
  }
}
