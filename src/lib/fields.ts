import { z } from 'zod';

/** Moments in answers: ISO 8601 UTC with milliseconds (SPEC §1). */
export const timestamp = z.iso.datetime({ precision: 3 });

/**
 * A whole number from `min` to `max` that comes as text: decimal digits and nothing else, since `Number` would also take
 * `1e1`, `0x10`, ` 10` and the empty text (SPEC §3). `error` says what is taken.
 */
export const wholeNumber = (min: number, max: number, error: string) =>
  z
    .string({ error })
    .regex(/^(?:0|[1-9]\d{0,9})$/, error)
    .transform(Number)
    .pipe(z.int({ error }).min(min, error).max(max, error));
