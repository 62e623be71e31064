import { LRUCache } from 'lru-cache';
import { doublingMs } from './backoff.js';
import { clock } from './clock.js';
import { AppError } from './errors.js';
import { logger } from './logger.js';
import { hourMs, minuteMs } from './time.js';

const waits = { firstMs: 2 * minuteMs, longestMs: hourMs };
/** After this many failures in a row an item is told of. */
const toldAfter = 3;

interface Failing {
  failures: number;
  /** By `clock.monotonicMs()`. */
  notBefore: number;
}

const kinds: PatientWork[] = [];

/** The kinds of work of which an item keeps failing in this process by a fault of ours. */
export const failingWork = (): string[] => kinds.filter(({ keepsFailing }) => keepsFailing).map(({ kind }) => kind);

/**
 * Work on items that are stored, which this process looks for again and again. An item that throws takes nothing from the
 * others. It is tried again at the next look, then after two minutes, and then after twice as long each time, up to an
 * hour. That holds in memory only, so a restart tries at once. A refusal, such as a platform that is away, is tried at
 * each look.
 */
export class PatientWork {
  readonly #failing = new LRUCache<string, Failing>({ max: 10_000 });

  constructor(
    /** Goes into `/readyz` as `<kind>_failing`. */
    readonly kind: string,
  ) {
    kinds.push(this);
  }

  get keepsFailing(): boolean {
    return [...this.#failing.values()].some(({ failures }) => failures >= toldAfter);
  }

  /** Whether an item is to be left alone for now. */
  rests(key: string): boolean {
    return (this.#failing.get(key)?.notBefore ?? 0) > clock.monotonicMs();
  }

  /** How often an item has failed since it was last done. */
  failuresOf(key: string): number {
    return this.#failing.get(key)?.failures ?? 0;
  }

  /** The keys that are to be left alone for now. */
  resting(): string[] {
    return [...this.#failing.keys()].filter((key) => this.rests(key));
  }

  /** An item was done otherwise. */
  forget(key: string): void {
    this.#failing.delete(key);
  }

  /** Forgets that an item is to be left alone, though not that it fails. */
  tryAtNextLook(key: string): void {
    const failing = this.#failing.get(key);
    if (failing !== undefined) this.#failing.set(key, { ...failing, notBefore: 0 });
  }

  /** Works on an item, unless it is to be left alone. Never throws. @returns whether it was done. */
  async on(key: string, work: () => Promise<unknown>): Promise<boolean> {
    if (this.rests(key)) return false;
    try {
      await work();
      this.#failing.delete(key);
      return true;
    } catch (err) {
      this.#note(key, err);
      return false;
    }
  }

  #note(key: string, err: unknown): void {
    const about = { err, work: this.kind, item: key };
    if (err instanceof AppError) {
      logger.info(about, 'left for the next look');
      return;
    }
    const failures = (this.#failing.get(key)?.failures ?? 0) + 1;
    const waitMs = failures === 1 ? 0 : doublingMs(failures - 1, waits);
    this.#failing.set(key, { failures, notBefore: clock.monotonicMs() + waitMs });
    logger.error({ ...about, failures, retryInMs: waitMs }, 'failed, and left for later');
  }
}

/** Runs parts one after the other, each whatever became of those before; then throws the first error. */
export async function eachPart(signal: AbortSignal, ...parts: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const part of parts) {
    if (signal.aborted) break;
    await part().catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 1) logger.error({ errors: errors.slice(1).map(String) }, 'more than one part of a job failed');
  if (errors.length > 0) throw errors[0];
}
