const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 8_000;

/**
 * Milliseconds to wait after failed attempt number `attempt` (from 1): exponential, the upper half of it random, so
 * that callers which failed together do not come back together.
 */
export function backoffMs(attempt: number): number {
  const ceiling = Math.min(FIRST_BACKOFF_MS * 2 ** (attempt - 1), LONGEST_BACKOFF_MS);
  return ceiling * (0.5 + Math.random() / 2);
}
