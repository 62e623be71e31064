import { AsyncContext } from '../../../lib/async-context.js';

/** The urgency of calls to Discord (SYNC-37): a person waits, one member is synced, or a whole guild. */
export type Lane = 'interactive' | 'single' | 'bulk';

const context = new AsyncContext<{ lane: Lane; signal: AbortSignal | undefined }>();

/**
 * Runs `work` with all its calls to Discord in `lane`; an inner lane replaces the outer one. When `signal` aborts,
 * unsent calls are dropped with its reason. A sent call is always finished.
 */
export function inLane<T>(lane: Lane, work: () => Promise<T>, signal = currentLane().signal): Promise<T> {
  return context.run({ lane, signal }, work);
}

/** The lane of the running code: interactive unless set by `inLane`. */
export function currentLane(): { lane: Lane; signal: AbortSignal | undefined } {
  return context.get() ?? { lane: 'interactive', signal: undefined };
}
