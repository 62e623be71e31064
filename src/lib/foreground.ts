/**
 * What a person waits for, and what steps aside for it: this process has one thread for both. Work in the background that
 * comes in many small steps waits before each while a person is being served.
 */
export class Foreground {
  #underWay = 0;
  readonly #waiting = new Set<() => void>();

  /** Does what a person waits for. */
  async serve<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) for (const goOn of this.#waiting) goOn();
    }
  }

  /** Resolves when nobody is being served, and after `mostMs` at the latest: people who come one after the other stop nothing. */
  async yield(mostMs: number): Promise<void> {
    if (this.#underWay === 0) return;
    await new Promise<void>((resolve) => {
      const goOn = () => {
        clearTimeout(timer);
        this.#waiting.delete(goOn);
        resolve();
      };
      const timer = setTimeout(goOn, mostMs);
      this.#waiting.add(goOn);
    });
  }
}

/** Of this process. */
export const foreground = new Foreground();
