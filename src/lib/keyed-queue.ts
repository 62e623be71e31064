import PQueue from 'p-queue';

/** Runs the tasks of one key one after the other, or `atOnce` of them in parallel; different keys run in parallel. */
export class KeyedQueue {
  readonly #queues = new Map<string, PQueue>();

  constructor(readonly atOnce = 1) {}

  /**
   * Runs `task` when the earlier ones of `key` leave room. @returns its result; its error is rethrown. If `signal` is
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
