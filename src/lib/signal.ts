/** Calls its listeners in this process, in registration order, and returns their answers. */
export class Signal<Args extends unknown[] = [], Answer = void> {
  readonly #listeners = new Set<(...args: Args) => Answer>();

  /** Adds a listener. Returns a function that removes it. */
  readonly on = (listener: (...args: Args) => Answer): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly emit = (...args: Args): Answer[] => Array.from(this.#listeners, (listener) => listener(...args));
}
