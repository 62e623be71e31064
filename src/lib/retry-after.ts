import { clock } from './clock.js';
import { secondMs } from './time.js';

/**
 * Milliseconds that a `Retry-After` header asks to wait from now: RFC 9110 §10.2.3 allows seconds or an HTTP date, and
 * Discord and Roblox send fractions of a second too. Undefined when there is none or it is neither.
 */
export function retryAfterMs(header: string | null | undefined): number | undefined {
  if (header === undefined || header === null) return undefined;
  if (/^\d{1,15}(\.\d+)?$/.test(header)) return Number(header) * secondMs;
  const at = /^[A-Z][a-z]+,? /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - clock.epochMs());
}
