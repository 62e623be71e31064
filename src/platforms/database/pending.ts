import { type Model, trusted, type UpdateQuery } from 'mongoose';
import { type Backoff, waitAfter } from '../../lib/backoff.js';
import { clock } from '../../lib/clock.js';
import { hourMs } from '../../lib/time.js';
import { whileRenewing } from '../../lib/while-renewing.js';
import { declareDueTime } from './due-times.js';
import type { Hint } from './guild-model.js';

/** How one kind of pending work is found, claimed and tried again. */
interface PendingOptions {
  /** Its row in docs/pending.md. */
  what: string;
  /** The index for claims: by `fairBy`, if given, and then by the due time. */
  index: Hint;
  /**
   * How long a claim lasts: a killed process is followed by another after this time. Left out if the work is done under
   * a lease instead.
   */
  claimMs?: number;
  /** The waits after failures. Without it, failed work is due again when its claim ends. */
  backoff?: Backoff;
  /** The field whose values take turns, such as `guildId`. Without it, the longest due work goes first. */
  fairBy?: string;
  /** The path to the value that changes whenever work is enqueued: the due time itself, if left out. */
  identity?: string;
  /** The longest wait that is ever stored, if longer than an hour and the waits above. */
  longestMs?: number;
}

interface Choice {
  where?: object;
  /** `fairBy` values that are left out. */
  except?: readonly string[];
}

interface DeclaredWork extends PendingOptions {
  collection: string;
  path: string;
}

const declared: DeclaredWork[] = [];

export const pendingWork = (): readonly DeclaredWork[] => declared;

/**
 * Declares work that is pending in a document while its `path` holds a time, and due from that time on. `enqueue` or
 * the write that makes the work necessary stores the time. A claim moves it forward, so no other process finds the work
 * for a while, and a crash only delays it.
 */
export function pending<T, Claimed extends T = T>(
  model: Model<T>,
  path: string,
  options: PendingOptions,
): PendingWork<T, Claimed> {
  const { claimMs = 0, backoff, longestMs = hourMs } = options;
  const longest = Math.max(longestMs, claimMs, backoff?.longestMs ?? 0);
  declareDueTime({ model, field: path, hint: options.index, longestMs: longest });
  declared.push({ ...options, collection: model.collection.name, path });
  return new PendingWork(model, path, options);
}

class PendingWork<T, Claimed extends T> {
  readonly #model: Model<T>;
  readonly #path: string;
  readonly #options: PendingOptions;
  /** The `fairBy` value that had its turn last in this process. */
  #last = '';

  constructor(model: Model<T>, path: string, options: PendingOptions) {
    this.#model = model;
    this.#path = path;
    this.#options = options;
  }

  /**
   * Makes work pending in all matching documents, in one write with `change`. A claim on them then completes nothing.
   * `index`: that of `which`, if several could serve. @returns how many match.
   */
  async enqueue(
    which: object,
    { afterMs = 0, change = {}, index }: { afterMs?: number; change?: UpdateQuery<T>; index?: Hint } = {},
  ): Promise<number> {
    const options = index === undefined ? {} : { hint: index };
    return (await this.#model.updateMany(which, this.#dueIn(afterMs, change), options)).matchedCount;
  }

  /** Claims due work; null if there is none. With `fairBy`, one piece for each value in turn. */
  claimNext(choice: Choice = {}): Promise<Claimed | null> {
    return this.#claimDue(this.#claimed(), choice);
  }

  /** Like `claimNext`, for work that is complete with the write `change` itself. */
  completeNext(change: UpdateQuery<T>, choice: Choice = {}): Promise<Claimed | null> {
    return this.#claimDue(this.#completed(change), choice);
  }

  /** Claims the matching document's work if it is due within `soonMs`. */
  claim(which: object, soonMs = 0): Promise<Claimed | null> {
    const soon = { ...which, [this.#path]: trusted({ $lte: this.#in(soonMs) }) };
    return this.#take(soon, this.#claimed(), {});
  }

  /** Does claimed work, and renews its claim until that has ended. The claim names its work by the due time. */
  whileClaimed<R>(claimed: Claimed, work: () => Promise<R>): Promise<R> {
    const { claimMs = 0 } = this.#options;
    let held = { _id: valueAt(claimed, '_id'), [this.#path]: valueAt(claimed, this.#path) };
    const renew = async (): Promise<void> => {
      const until = this.#in(claimMs);
      const change = { $set: { [this.#path]: until } } as UpdateQuery<T>;
      const { matchedCount } = await this.#model.updateOne(held, change, { hint: { _id: 1 } });
      if (matchedCount > 0) held = { ...held, [this.#path]: until };
    };
    return whileRenewing({ everyMs: claimMs / 3, renew }, work);
  }

  /** Leaves claimed work that failed for later. `failures`: how often in a row. @returns as `complete` does. */
  retryLater(claimed: Claimed, failures = 1, change: UpdateQuery<T> = {}): Promise<boolean> {
    const { claimMs = 0, backoff = { firstMs: claimMs, longestMs: claimMs } } = this.#options;
    return this.postpone(claimed, waitAfter(failures, backoff), change);
  }

  /** Makes claimed work due again after this time. @returns as `complete` does. */
  postpone(claimed: Claimed, afterMs: number, change: UpdateQuery<T> = {}): Promise<boolean> {
    return this.#end(claimed, this.#dueIn(afterMs, change));
  }

  /**
   * Completes claimed work in one write with `change`. @returns false, and writes nothing, if the work was enqueued
   * again since, or if another process claimed it after the claim had run out.
   */
  complete(claimed: Claimed, change: UpdateQuery<T> = {}): Promise<boolean> {
    return this.#end(claimed, this.#completed(change));
  }

  async #claimDue(update: UpdateQuery<T>, { where = {}, except = [] }: Choice): Promise<Claimed | null> {
    const { fairBy, index } = this.#options;
    const [due, sort] = [{ ...where, [this.#path]: trusted({ $lte: this.#in(0) }) }, { [this.#path]: 1 as const }];
    if (fairBy === undefined) return this.#take(due, update, { sort, hint: index });
    const behind = (last: string) =>
      this.#take({ ...due, [fairBy]: trusted({ $gt: last, $nin: [...except] }) }, update, {
        sort: { [fairBy]: 1, ...sort },
        hint: index,
      });
    const next = (await behind(this.#last)) ?? (this.#last === '' ? null : await behind(''));
    this.#last = next === null ? '' : String(valueAt(next, fairBy));
    return next;
  }

  #take(which: object, update: UpdateQuery<T>, options: object): Promise<Claimed | null> {
    return this.#model
      .findOneAndUpdate(which, update, { ...options, returnDocument: 'after' })
      .lean<Claimed | null>()
      .exec();
  }

  async #end(claimed: Claimed, update: UpdateQuery<T>): Promise<boolean> {
    const { identity = this.#path } = this.#options;
    const held = { _id: valueAt(claimed, '_id'), [identity]: valueAt(claimed, identity) };
    return (await this.#model.updateOne(held, update, { hint: { _id: 1 } })).matchedCount > 0;
  }

  #in(ms: number): Date {
    return new Date(clock.epochMs() + ms);
  }

  #dueIn(ms: number, change: UpdateQuery<T> = {}): UpdateQuery<T> {
    return { ...change, $set: { ...change.$set, [this.#path]: this.#in(ms) } };
  }

  #claimed(): UpdateQuery<T> {
    return this.#dueIn(this.#options.claimMs ?? 0);
  }

  /** The time is removed with all that is stored next to it, such as the whole `joinMessage`. */
  #completed(change: UpdateQuery<T>): UpdateQuery<T> {
    const [root = ''] = this.#path.split('.');
    return { ...change, $unset: { ...change.$unset, [root]: 1 } };
  }
}

const valueAt = (document: unknown, path: string): unknown =>
  path.split('.').reduce((inside: unknown, name) => Reflect.get(Object(inside), name), document);
