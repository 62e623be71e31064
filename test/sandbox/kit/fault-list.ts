import type { Fault } from './exchange.js';

/** A fault that waits for requests, and how those that it holds are let go. */
interface Entry<Kind extends Fault> {
  fault: Kind;
  left: number;
  released: Promise<void>;
  release: () => void;
  /** To be called when a request begins to wait. */
  holds: () => void;
}

/** A fault that only keeps requests waiting. */
export type HoldingFault<Kind extends Fault> = Kind & { delayMs?: never; held?: never };

export interface Hold {
  /** Kept when the first request waits; `after`, when its work is done and the answer is kept back. */
  readonly reached: Promise<void>;
  letGo(): void;
}

/** The faults waiting to hit a request, oldest first. */
export class FaultList<Kind extends Fault = Fault> {
  #entries: Entry<Kind>[] = [];

  /** Adds a fault and returns how to take it back, which lets go what it holds. */
  inject(fault: Kind): () => void {
    return this.#add(fault).letGo;
  }

  /** Holds the next request that matches, or the next `times`, until `letGo`, and reports when the first is held. */
  hold(fault: HoldingFault<Kind>): Hold {
    return this.#add({ times: 1, ...fault, held: true });
  }

  #add(fault: Kind): Hold {
    const [released, release] = signal();
    const [reached, holds] = signal();
    const entry = { fault, left: fault.times ?? Number.POSITIVE_INFINITY, released, release, holds };
    this.#entries.push(entry);
    const letGo = () => {
      this.#entries = this.#entries.filter((other) => other !== entry);
      release();
    };
    return { reached, letGo };
  }

  clear(): void {
    for (const { release } of this.#entries) release();
    this.#entries = [];
  }

  /** The fault that hits `METHOD host/path`, counted as used; `released` when it is taken back. */
  take(request: string): Pick<Entry<Kind>, 'fault' | 'released' | 'holds'> | undefined {
    const entry = this.#entries.find(({ fault, left }) => left > 0 && request.search(fault.match) >= 0);
    if (!entry) return undefined;
    entry.left -= 1;
    // One that holds a request stays until it is taken back.
    if (entry.left === 0 && !entry.fault.held) this.#entries = this.#entries.filter((other) => other !== entry);
    return entry;
  }
}

/** A promise, and what keeps it. */
function signal(): [Promise<void>, () => void] {
  let keep = (): void => {};
  const kept = new Promise<void>((resolve) => {
    keep = resolve;
  });
  return [kept, keep];
}
