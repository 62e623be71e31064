/**
 * Lets simultaneous callers for a key share one read. The read begins after each of its callers has asked, so no result
 * is older than their own read would be.
 */
export class SingleFlight<T> {
  readonly #lines = new Map<string, { running: Promise<T>; next?: Promise<T> }>();

  constructor(readonly read: (key: string) => Promise<T>) {}

  get(key: string): Promise<T> {
    const line = this.#lines.get(key);
    if (line === undefined) return this.#start(key);
    // The running read began before this call.
    line.next ??= line.running.then(ignore, ignore).then(() => this.#start(key));
    return line.next;
  }

  #start(key: string): Promise<T> {
    const line = { running: this.read(key) };
    this.#lines.set(key, line);
    const end = (): void => {
      if (this.#lines.get(key) === line && !('next' in line)) this.#lines.delete(key);
    };
    line.running.then(end, end);
    return line.running;
  }
}

function ignore(): void {}
