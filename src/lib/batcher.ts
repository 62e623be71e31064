import { AsyncLocalStorage } from 'node:async_hooks';

interface Waiting<In, Out> {
  item: In;
  inContext: ReturnType<typeof AsyncLocalStorage.snapshot>;
  resolve(result: Out): void;
  reject(reason: unknown): void;
}

/**
 * Batches items that arrive while earlier work is in progress. A single item starts immediately; many are split into
 * batches of up to `most`, with `atOnce` in parallel. `work` returns a result per item, in order; its error goes to
 * each item of the batch.
 */
export class Batcher<In, Out> {
  readonly #waiting: Waiting<In, Out>[] = [];
  #running = 0;

  constructor(
    readonly work: (items: readonly In[]) => Promise<readonly Out[]>,
    readonly limits: { most: number; atOnce?: number },
  ) {}

  add(item: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject, inContext: AsyncLocalStorage.snapshot() });
      if (this.#running >= (this.limits.atOnce ?? 1)) return;
      this.#running += 1;
      // Waits for further calls in the same turn of the event loop.
      setImmediate(() => void this.#runAll());
    });
  }

  async #runAll(): Promise<void> {
    for (;;) {
      const some = this.#waiting.splice(0, this.limits.most);
      const [first] = some;
      if (first === undefined) break;
      // A batch's log lines and calls belong to the context of its first caller.
      await first.inContext(() => this.#run(some));
    }
    this.#running -= 1;
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
