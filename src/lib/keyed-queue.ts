import PQueue from 'p-queue';

/** Runs one key's tasks one after the other, or `atOnce` in parallel; different keys run in parallel. */
export class KeyedQueue {
  readonly #queues = new Map<string, PQueue>();

  constructor(readonly atOnce = 1) {}

  /**
   * Runs `task` when `key`'s earlier ones leave room. @returns its result; its error is rethrown. If `signal` is
   * aborted before the end, the task leaves the queue and the signal's reason is thrown.
   */
  add<T>(key: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    let queue = this.#queues.get(key);
    if (!queue) {
      queue = new PQueue({ concurrency: this.atOnce });
      queue.on('idle', () => this.#queues.delete(key));
      this.#queues.set(key, queue);
    }
    return queue.add(task, { signal });
  }
}
