import { registerWork, runAt, runSoon } from './runs.js';

interface KeyedWork {
  /** Kebab-case and unique. */
  name: string;
  /** One process works on at most this many ids at the same time. Each id has one run at a time. */
  concurrency: number;
  /**
   * Works on the thing with this id. It returns if the thing is gone, and takes a lease where another process may work
   * too. `signal`: aborted when the service stops; a long run then saves its progress and ends at its next step.
   */
  run(id: string, signal: AbortSignal): Promise<void>;
}

export interface KeyedJob {
  readonly name: string;
  /** Runs the work for an id soon, in this process. The run begins after this call; calls until then share it. */
  wake(id: string): void;
  /** Like `wake`, at a time; among several times the earliest counts. */
  wakeAt(id: string, at: Date): void;
}

/**
 * Declares work on one of many things, whose runs must not wait for one another. A wake-up is in memory only, and a kill
 * loses it. So the work stays pending in its collection, and standing work or the gateway's next session finds it.
 */
export function keyed({ name, concurrency, run }: KeyedWork): KeyedJob {
  registerWork(name, { concurrency, run });
  return {
    name,
    wake: (id) => void runSoon({ name, id }),
    wakeAt: (id, at) => runAt({ name, id }, at),
  };
}
