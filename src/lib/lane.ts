import { AsyncContext } from './async-context.js';

/**
 * The urgency of calls to Discord and Roblox, the most urgent first (SYNC-37): a press, command or verification, a
 * join, one member's sync, a request over HTTP, and a whole guild.
 */
export const lanes = ['press', 'join', 'single', 'read', 'bulk'] as const;
export type Lane = (typeof lanes)[number];

const context = new AsyncContext<{ lane: Lane; signal: AbortSignal | undefined }>();

/**
 * Runs `work` with all its calls in `lane`; an inner lane replaces the outer one. When `signal` aborts, unsent calls
 * to Discord are dropped with its reason. A sent call is always finished.
 */
export function inLane<T>(lane: Lane, work: () => Promise<T>, signal = currentLane().signal): Promise<T> {
  return context.run({ lane, signal }, work);
}

/** The lane of the running code: the last one, unless `inLane` states another. */
export function currentLane(): { lane: Lane; signal: AbortSignal | undefined } {
  return context.get() ?? { lane: 'bulk', signal: undefined };
}

/** A value for each lane. */
export const byLane = <T>(of: (lane: Lane) => T): Record<Lane, T> => ({
  press: of('press'),
  join: of('join'),
  single: of('single'),
  read: of('read'),
  bulk: of('bulk'),
});

/** Whether a person waits for work in this lane, so that background work makes room for it. */
export const isUrgent = (lane: Lane): boolean => lane === 'press' || lane === 'join';
