import { AsyncLocalStorage } from 'node:async_hooks';

interface Waiting<In, Out> {
  item: In;
  inContext: ReturnType<typeof AsyncLocalStorage.snapshot>;
  resolve(result: Out): void;
  reject(reason: unknown): void;
}

/**
 * Does together what comes while earlier work is under way: a single item begins at once, and a crowd goes in pieces of
 * at most `most`, `atOnce` of them side by side. `work` gives a result for each item, in their order; what it throws,
 * each of its items throws.
 */
export class Gathered<In, Out> {
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
      // Those who ask in the same turn of the event loop go along.
      setImmediate(() => void this.#runAll());
    });
  }

  async #runAll(): Promise<void> {
    for (;;) {
      const some = this.#waiting.splice(0, this.limits.most);
      const [first] = some;
      if (first === undefined) break;
      // The log lines and calls of a piece are those of whoever came first.
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
