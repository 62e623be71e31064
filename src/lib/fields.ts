import { z } from 'zod';

/** Moments in answers: ISO 8601 UTC with milliseconds (SPEC §1). */
export const timestamp = z.iso.datetime({ precision: 3 });

/**
 * One line that a person writes, as a name, description or reason: without the spaces around it 1 to `most` characters,
 * and no control character or line separator, which could make one line of a list or file look like two (SPEC §3).
 */
export const lineOfText = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'must be one line, without control characters');
