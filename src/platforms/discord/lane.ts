import { AsyncLocalStorage } from 'node:async_hooks';

/** How urgent calls to Discord are (SPEC §6.5): people wait, one member is brought in step, or a whole guild is. */
export type Lane = 'interactive' | 'single' | 'bulk';

const context = new AsyncLocalStorage<{ lane: Lane; signal: AbortSignal | undefined }>();

/**
 * Runs `work` so that all it asks of Discord goes by `lane`; within another lane the inner one counts. Calls that have
 * not been sent when `signal` aborts are given up with its reason; one that has been sent is always seen through.
 */
export function inLane<T>(lane: Lane, work: () => Promise<T>, signal = currentLane().signal): Promise<T> {
  return context.run({ lane, signal }, work);
}

/** The lane of the running code: interactive where nobody has said otherwise. */
export function currentLane(): { lane: Lane; signal: AbortSignal | undefined } {
  return context.getStore() ?? { lane: 'interactive', signal: undefined };
}
