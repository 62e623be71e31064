/** The waits of interactive calls. Tests shorten them. */
export const shortWaits = { firstMs: 250, longestMs: 8_000 };

/** Milliseconds to wait after failed attempt number `attempt` (from 1): twice as long each time, up to `longestMs`. */
export function doublingMs(attempt: number, { firstMs, longestMs }: { firstMs: number; longestMs: number }): number {
  return Math.min(firstMs * 2 ** (attempt - 1), longestMs);
}

/**
 * The wait between 250 ms and 8 s, with its upper half random, so that callers which failed together don't retry
 * together.
 */
export function backoffMs(attempt: number): number {
  return doublingMs(attempt, shortWaits) * (0.5 + Math.random() / 2);
}
