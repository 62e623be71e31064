import { dayMs, minuteMs, secondMs } from '../../lib/time.js';
import type { AttemptOutcome } from './delivery-model.js';

/** A delivery is retried for 24 hours after its first attempt, with the last retry at the end (HOOK-14). */
export const retryWindowMs = dayMs;

/** The delays between the first ten attempts: 5 s × 3ⁿ, from 5 s to about 9 h. The eleventh is at the window's end. */
const delaysMs = Array.from({ length: 9 }, (_, n) => 5 * secondMs * 3 ** n);

/**
 * Each delay varies randomly by up to 7 %, so that a receiver's retries are spread. The rest of the ±10 % of HOOK-14
 * covers the time from the wake-up to the request.
 */
const jitter = 0.07;

/** The least delay, and the least for an overloaded receiver: one that answered 429 or not in time. */
const leastMs = 5 * secondMs * (1 - jitter);
const leastWhenOverloadedMs = minuteMs;

/** `Retry-After` lengthens a delay to at most twice its length. */
const mostLengthening = 2;

export interface FailedAttempt {
  /** Failed attempts, from 1, without those that our own process interrupted. */
  attempt: number;
  firstAttemptAt: Date;
  /** When it failed. */
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
  if (attempt > delaysMs.length + 1 || windowEnd - now.getTime() < least) return null;
  const planned = delaysMs[attempt - 1];
  if (planned === undefined) return new Date(windowEnd);
  const delay = Math.max(planned * (1 - jitter + 2 * jitter * random), least);
  const lengthened = Math.max(delay, Math.min(retryAfterMs, delay * mostLengthening));
  return new Date(Math.min(now.getTime() + Math.round(lengthened), windowEnd));
}

const isOverloaded = ({ outcome, status }: FailedAttempt): boolean => outcome === 'timeout' || status === 429;
