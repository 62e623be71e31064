import { shortWaits } from '../../src/lib/backoff.js';

/** The waits between attempts as the service has them. */
export const usualWaits: Readonly<typeof shortWaits> = { ...shortWaits };

/** Makes attempts follow each other within milliseconds, so that a failing platform's test takes no seconds. */
export function shortenWaits(): void {
  Object.assign(shortWaits, { firstMs: 5, longestMs: 40 });
}
