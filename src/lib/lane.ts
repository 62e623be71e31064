import { AsyncContext } from './async-context.js';

/**
 * How urgent calls to Discord and Roblox are, the most urgent first (SYNC-37): a press, command or verification, a
 * join, one member's sync, a request over HTTP, and a whole guild.
 */
export const lanes = ['press', 'join', 'single', 'read', 'bulk'] as const;
export type Lane = (typeof lanes)[number];

interface RunningLane {
  lane: Lane;
  signal: AbortSignal | undefined;
  /** Whether a person waits for the answer, so that a call may not be put off for long. */
  isAwaited: boolean;
}

const context = new AsyncContext<RunningLane>();

/**
 * Runs `work` with all its calls in `lane`; an inner lane replaces the outer one. When `signal` aborts, unsent calls
 * to Discord are dropped with its reason. A sent call is always finished.
 */
export function inLane<T>(lane: Lane, work: () => Promise<T>, signal = currentLane().signal): Promise<T> {
  return context.run({ lane, signal, isAwaited: false }, work);
}

/** Runs `work` as `inLane` does, for a person that waits: a call that Discord puts off for long fails (API-10). */
export function awaited<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
  return context.run({ lane, signal: currentLane().signal, isAwaited: true }, work);
}

/** The running code's lane: the last one, unless `inLane` or `awaited` states another. */
export function currentLane(): RunningLane {
  return context.get() ?? { lane: 'bulk', signal: undefined, isAwaited: false };
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
