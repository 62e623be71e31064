import { LRUCache } from 'lru-cache';
import { waitAfter } from './backoff.js';
import { clock } from './clock.js';
import { AppError } from './errors.js';
import { logger } from './logger.js';
import { hourMs, minuteMs } from './time.js';

const waits = { firstMs: 2 * minuteMs, longestMs: hourMs };
/** After this many failures in a row, an item is reported. */
const toldAfter = 3;

interface Failing {
  failures: number;
  /** By `clock.monotonicMs()`. */
  notBefore: number;
}

const kinds: SeparateWork[] = [];

/** The work kinds with an item that keeps failing in this process through our own fault. */
export const failingWork = (): string[] => kinds.filter(({ keepsFailing }) => keepsFailing).map(({ kind }) => kind);

/**
 * Work on stored items whose next try is stored with them. An item that throws does not affect the others. After three
 * failures in a row that are our own fault, it is reported.
 */
export class SeparateWork {
  protected readonly failing = new LRUCache<string, Failing>({ max: 10_000 });

  constructor(
    /** Goes into `/readyz` as `<kind>_failing`. */
    readonly kind: string,
  ) {
    kinds.push(this);
  }

  get keepsFailing(): boolean {
    return [...this.failing.values()].some(({ failures }) => failures >= toldAfter);
  }

  /** An item's failures since its last success. */
  failuresOf(key: string): number {
    return this.failing.get(key)?.failures ?? 0;
  }

  /** Works on an item. Never throws. @returns whether it was done. */
  async on(key: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      this.failing.delete(key);
      return true;
    } catch (err) {
      this.#note(key, err);
      return false;
    }
  }

  /** The wait in memory after this many failures in a row. */
  protected waitMs(_failures: number): number {
    return 0;
  }

  #note(key: string, err: unknown): void {
    const about = { err, work: this.kind, item: key };
    if (err instanceof AppError) {
      logger.info(about, 'postponed to the next run');
      return;
    }
    const failures = this.failuresOf(key) + 1;
    const waitMs = this.waitMs(failures);
    this.failing.set(key, { failures, notBefore: clock.monotonicMs() + waitMs });
    logger.error({ ...about, failures, retryInMs: waitMs }, 'failed, will retry');
  }
}

/**
 * Work on stored items that each run finds again, whatever became of them. One that fails is retried in the next run,
 * then after two minutes, then after doubling waits up to an hour. The waits are only in memory, so a restart, which
 * may bring the mend, retries each immediately. A refusal, for example while a platform is away, is retried in each
 * run.
 */
export class PatientWork extends SeparateWork {
  rests(key: string): boolean {
    return (this.failing.get(key)?.notBefore ?? 0) > clock.monotonicMs();
  }

  resting(): string[] {
    return [...this.failing.keys()].filter((key) => this.rests(key));
  }

  /** Notes that an item was done elsewhere. */
  forget(key: string): void {
    this.failing.delete(key);
  }

  tryAtNextPoll(key: string): void {
    const failing = this.failing.get(key);
    if (failing !== undefined) this.failing.set(key, { ...failing, notBefore: 0 });
  }

  /** Works on an item, unless it is paused. Never throws. @returns whether it was done. */
  override async on(key: string, work: () => Promise<unknown>): Promise<boolean> {
    return !this.rests(key) && (await super.on(key, work));
  }

  protected override waitMs(failures: number): number {
    return failures === 1 ? 0 : waitAfter(failures - 1, waits);
  }
}

/** Runs parts one after the other, whether or not earlier ones failed; then throws the first error. */
export async function eachPart(signal: AbortSignal, ...parts: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const part of parts) {
    if (signal.aborted) break;
    await part().catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 1) logger.error({ errors: errors.slice(1).map(String) }, 'several parts of a job failed');
  if (errors.length > 0) throw errors[0];
}
