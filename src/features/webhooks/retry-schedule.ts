import { waitAfter } from '../../lib/backoff.js';
import { dayMs, minuteMs, secondMs } from '../../lib/time.js';
import type { AttemptOutcome } from './delivery-model.js';

/** A delivery is retried for 24 hours after its first attempt, with the last retry at the end (HOOK-14). */
export const retryWindowMs = dayMs;

/** The delays, from 5 s to about 9 h. HOOK-14's ±10 % leave 3 % for the time from the wake-up to the request. */
const delays = { firstMs: 5 * secondMs, factor: 3, longestMs: retryWindowMs, spread: [0.93, 1.07] } as const;
/** The eleventh attempt is at the window's end. */
const mostDelays = 9;

/** The least delay, and the least for an overloaded receiver: one that answered 429 or not in time. */
const leastMs = waitAfter(1, delays, 0);
const leastWhenOverloadedMs = minuteMs;

/** `Retry-After` lengthens a delay to at most twice its length. */
const mostLengthening = 2;

export interface FailedAttempt {
  /** Failed attempts, from 1, without those that our own process interrupted. */
  attempt: number;
  firstAttemptAt: Date;
  now: Date;
  outcome: AttemptOutcome;
  status?: number | undefined;
  /** The receiver's `Retry-After`, in milliseconds. */
  retryAfterMs?: number | undefined;
  /** A random number from 0 to below 1. */
  random: number;
}

/**
 * When to retry a delivery after a failed attempt; null when that was the last. There are eleven attempts in 24 hours
 * (HOOK-14), fewer when the receiver asks for longer delays.
 */
export function nextAttemptAt(failed: FailedAttempt): Date | null {
  const { attempt, firstAttemptAt, now, random, retryAfterMs = 0 } = failed;
  const windowEnd = firstAttemptAt.getTime() + retryWindowMs;
  const least = isOverloaded(failed) ? leastWhenOverloadedMs : leastMs;
  if (attempt > mostDelays + 1 || windowEnd - now.getTime() < least) return null;
  if (attempt > mostDelays) return new Date(windowEnd);
  const delay = Math.max(waitAfter(attempt, delays, random), least);
  const lengthened = Math.max(delay, Math.min(retryAfterMs, delay * mostLengthening));
  return new Date(Math.min(now.getTime() + Math.round(lengthened), windowEnd));
}

const isOverloaded = ({ outcome, status }: FailedAttempt): boolean => outcome === 'timeout' || status === 429;
