/**
 * Coordinates work for waiting people with background work, since one thread serves both. Background work in many small
 * steps pauses before each step while a person is being served.
 */
export class Foreground {
  #underWay = 0;
  readonly #waiting = new Set<() => void>();

  /** Runs work that a person waits for. */
  async serve<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) for (const goOn of this.#waiting) goOn();
    }
  }

  /**
   * Resolves when no person is being served, and after `mostMs` at the latest, so a steady stream can't stop background
   * work.
   */
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

export const foreground = new Foreground();
