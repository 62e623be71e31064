import { AsyncLocalStorage } from 'node:async_hooks';

// One for all values: on Node 20 each AsyncLocalStorage makes every promise of the process slower.
const storage = new AsyncLocalStorage<ReadonlyMap<object, unknown>>();

/** Something that all code that runs within some work knows, however many calls away and whatever it has awaited. */
export class RunningValue<T> {
  /** Of the code that runs now; undefined outside of any work that was given one. */
  get(): T | undefined {
    // Under itself nothing else is ever stored.
    return storage.getStore()?.get(this) as T | undefined;
  }

  /** Runs `work`, within which the value is this one; that of an inner work stands instead of the outer one's. */
  run<Result>(value: T, work: () => Result): Result {
    return storage.run(new Map(storage.getStore()).set(this, value), work);
  }
}
