import { Refusal, Unreachable } from './answer-errors.js';

const maxTries = 2;
const maxWaitMs = 10_000;

/**
 * Whether a failed request is repeated automatically (DASH-11): only without an answer, and while the service or a
 * platform is briefly unavailable. A longer Retry-After leaves the next try to the person or to the renewal.
 */
export function mayRetry(failures: number, error: unknown): boolean {
  if (failures >= maxTries) return false;
  if (error instanceof Unreachable) return true;
  return error instanceof Refusal && error.status === 503 && (error.retryAfterSeconds ?? 0) * 1_000 <= maxWaitMs;
}

/** The wait before that repetition, in ms. */
export function retryDelay(failures: number, error: unknown): number {
  const asked = error instanceof Refusal ? error.retryAfterSeconds : undefined;
  return asked === undefined ? 1_000 * 2 ** failures : asked * 1_000;
}
