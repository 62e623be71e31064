import { setImmediate as turn } from 'node:timers/promises';
import { clock } from './clock.js';

/** The longest time for which planning holds the thread; a slow step in it adds to this. */
const sliceMs = 8;

/** Lets other work have the thread between a long calculation's steps. */
export class ThreadSlice {
  #beganAt = clock.monotonicMs();

  /** Waits for one event-loop turn if the current slice is over. */
  async yieldIfOver(): Promise<void> {
    if (clock.monotonicMs() - this.#beganAt < sliceMs) return;
    await turn();
    this.#beganAt = clock.monotonicMs();
  }
}
