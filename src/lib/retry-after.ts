import { clock } from './clock.js';
import { secondMs } from './time.js';

/**
 * The wait requested by a `Retry-After` header, in milliseconds from now. RFC 9110 §10.2.3 allows seconds or an HTTP
 * date; Discord and Roblox also send fractional seconds. Undefined if it is missing or neither.
 */
export function retryAfterMs(header: string | null | undefined): number | undefined {
  if (header === undefined || header === null) return undefined;
  if (/^\d{1,15}(\.\d+)?$/.test(header)) return Number(header) * secondMs;
  const at = /^[A-Z][a-z]+,? /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - clock.epochMs());
}
