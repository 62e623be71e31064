interface Line {
  waiting: (() => Promise<unknown>)[];
  running: number;
  /** Set when the key's places were full and more waited. */
  isFull: boolean;
}

interface Limits {
  inAll: number;
  perKey: number;
  /** A key with full places starts waiting tasks again when this many are left, so that these share what they read. */
  refillAt?: number;
}

/**
 * Runs tasks for many keys, `inAll` in total and `perKey` per key in parallel. Keys take turns, so one with many tasks
 * does not block the others. Tasks must not throw.
 */
export class FairQueue {
  /** In turn order. */
  readonly #lines = new Map<string, Line>();
  readonly #running = new Set<Promise<unknown>>();

  constructor(readonly limits: Limits) {}

  add(key: string, task: () => Promise<unknown>): void {
    const line = this.#lines.get(key) ?? { waiting: [], running: 0, isFull: false };
    this.#lines.set(key, line);
    if (line.waiting.length === 0) line.isFull = false;
    line.waiting.push(task);
    this.#startNext();
  }

  /** Drops waiting tasks, and resolves when no task is running. */
  async clear(): Promise<void> {
    for (const line of this.#lines.values()) line.waiting = [];
    await Promise.all(this.#running);
  }

  /** Whether a task for a key without tasks would start now. */
  get hasRoom(): boolean {
    return this.#running.size < this.limits.inAll;
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** The keys whose places are taken. */
  fullKeys(): string[] {
    return [...this.#lines].filter(([, { running }]) => running >= this.limits.perKey).map(([key]) => key);
  }

  /** Resolves when any running task ends. */
  async nextEnd(): Promise<void> {
    await Promise.race(this.#running);
  }

  #startNext(): void {
    for (const [key, line] of this.#lines) {
      if (this.#running.size >= this.limits.inAll) return;
      const task = this.#hasPlace(line) ? line.waiting.shift() : undefined;
      if (task === undefined) continue;
      // Moves to the end, where this same loop reaches it again.
      this.#lines.delete(key);
      this.#lines.set(key, line);
      this.#start(key, line, task);
    }
  }

  #hasPlace(line: Line): boolean {
    const { perKey, refillAt = perKey - 1 } = this.limits;
    if (line.running >= perKey) line.isFull = line.waiting.length > 0;
    else if (line.running <= refillAt) line.isFull = false;
    return line.running < perKey && !line.isFull;
  }

  #start(key: string, line: Line, task: () => Promise<unknown>): void {
    line.running += 1;
    const run = task().finally(() => {
      this.#running.delete(run);
      line.running -= 1;
      if (line.running + line.waiting.length === 0) this.#lines.delete(key);
      this.#startNext();
    });
    this.#running.add(run);
  }
}
