import { AsyncLocalStorage } from 'node:async_hooks';

// One for all values: on Node 20, each AsyncLocalStorage slows down every promise in the process.
const storage = new AsyncLocalStorage<ReadonlyMap<object, unknown>>();

/** A value available to all code within some work, at any call depth and after any await. */
export class AsyncContext<T> {
  /** The value for the running code; undefined outside `run`. */
  get(): T | undefined {
    // This key's values are all of this type.
    return storage.getStore()?.get(this) as T | undefined;
  }

  /** Runs `work` with this value; an inner `run` replaces the outer value. */
  run<Result>(value: T, work: () => Result): Result {
    return storage.run(new Map(storage.getStore()).set(this, value), work);
  }
}
