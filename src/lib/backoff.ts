/** How the waits between tries grow: `firstMs` after the first failure, then `factor` times as long each time. */
export interface Backoff {
  firstMs: number;
  /** 2 by default. */
  factor?: number;
  longestMs: number;
  /** Each wait is a random share of the planned one, between these, so that callers that failed together spread. */
  spread?: readonly [least: number, most: number];
}

/** A planned wait's upper half, at random. */
export const upperHalf = [0.5, 1] as const;

/** Waits for interactive calls. Tests shorten them. */
export const shortWaits: Backoff = { firstMs: 250, longestMs: 8_000, spread: upperHalf };

/** Milliseconds to wait after the failure with this number, from 1. `random`: from 0 to below 1. */
export function waitAfter(
  failures: number,
  { firstMs, factor = 2, longestMs, spread: [least, most] = [1, 1] }: Backoff,
  random = Math.random(),
): number {
  return Math.min(firstMs * factor ** (failures - 1), longestMs) * (least + (most - least) * random);
}
