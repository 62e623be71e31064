import type { Fault } from './exchange.js';

/** A fault that waits for requests, and how those that it holds are let go. */
interface Entry<Kind extends Fault> {
  fault: Kind;
  left: number;
  released: Promise<void>;
  release: () => void;
}

/** The faults waiting to hit a request, oldest first. */
export class FaultList<Kind extends Fault = Fault> {
  #entries: Entry<Kind>[] = [];

  /** Adds a fault and returns how to take it back, which lets go what it holds. */
  inject(fault: Kind): () => void {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const entry = { fault, left: fault.times ?? Number.POSITIVE_INFINITY, released, release };
    this.#entries.push(entry);
    return () => {
      this.#entries = this.#entries.filter((other) => other !== entry);
      release();
    };
  }

  clear(): void {
    for (const { release } of this.#entries) release();
    this.#entries = [];
  }

  /** The fault that hits `METHOD host/path`, counted as used; `released` when it is taken back. */
  take(request: string): Pick<Entry<Kind>, 'fault' | 'released'> | undefined {
    const entry = this.#entries.find(({ fault, left }) => left > 0 && request.search(fault.match) >= 0);
    if (!entry) return undefined;
    entry.left -= 1;
    // One that holds a request stays until it is taken back.
    if (entry.left === 0 && !entry.fault.held) this.#entries = this.#entries.filter((other) => other !== entry);
    return entry;
  }
}
