import { within } from './within.js';

/**
 * Lets simultaneous callers for a key share one read. The read begins after every caller has asked, so no result is
 * older than their own read would be.
 */
export class SingleFlight<T> {
  readonly #lines = new Map<string, { running: Promise<T>; next?: Promise<T> }>();

  /** `withinMs`: a read without an answer for so long is given up and fails, so that the next caller reads again. */
  constructor(
    readonly read: (key: string) => Promise<T>,
    readonly withinMs?: number,
  ) {}

  get(key: string): Promise<T> {
    const line = this.#lines.get(key);
    if (line === undefined) return this.#start(key);
    // The running read began before this call.
    line.next ??= line.running.then(ignore, ignore).then(() => this.#start(key));
    return line.next;
  }

  #start(key: string): Promise<T> {
    const reading = this.read(key);
    const line = { running: this.withinMs === undefined ? reading : within(this.withinMs, reading) };
    this.#lines.set(key, line);
    const end = (): void => {
      if (this.#lines.get(key) === line && !('next' in line)) this.#lines.delete(key);
    };
    line.running.then(end, end);
    return line.running;
  }
}

function ignore(): void {}
