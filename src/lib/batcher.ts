import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';

/** The pause between arrivals after which a joining crowd counts as complete. */
export const crowdQuietMs = 100;
const mostWaits = 10;

interface Waiting<In, Out> {
  item: In;
  inContext: ReturnType<typeof AsyncLocalStorage.snapshot>;
  resolve(result: Out): void;
  reject(reason: unknown): void;
}

interface Limits {
  most: number;
  atOnce?: number;
  /** A batch waits until no item has arrived for this long, at most ten times as long. */
  quietMs?: number;
}

/**
 * Batches items that arrive while earlier work is in progress. A single item starts immediately; many are split into
 * batches of up to `most`, with `atOnce` in parallel. `work` returns a result per item, in order; its error goes to
 * every item in the batch.
 */
export class Batcher<In, Out> {
  readonly #waiting: Waiting<In, Out>[] = [];
  #running = 0;

  constructor(
    readonly work: (items: readonly In[]) => Promise<readonly Out[]>,
    readonly limits: Limits,
  ) {}

  add(item: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject, inContext: AsyncLocalStorage.snapshot() });
      if (this.#running >= (this.limits.atOnce ?? 1)) return;
      this.#running += 1;
      // Waits for further calls in the same event-loop turn.
      setImmediate(() => void this.#runAll());
    });
  }

  async #runAll(): Promise<void> {
    for (;;) {
      await this.#gather();
      const some = this.#waiting.splice(0, this.limits.most);
      const [first] = some;
      if (first === undefined) break;
      // A batch's log lines and calls belong to its first caller's context.
      await first.inContext(() => this.#run(some));
    }
    this.#running -= 1;
  }

  async #gather(): Promise<void> {
    const { most, quietMs } = this.limits;
    if (quietMs === undefined) return;
    for (let [before, waits] = [0, 0]; waits < mostWaits; waits += 1) {
      const { length } = this.#waiting;
      if (length === before || length >= most) return;
      before = length;
      await delay(quietMs);
    }
  }

  async #run(some: readonly Waiting<In, Out>[]): Promise<void> {
    try {
      const results = await this.work(some.map(({ item }) => item));
      for (const [index, { resolve }] of some.entries()) resolve(results[index] as Out);
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }
}
