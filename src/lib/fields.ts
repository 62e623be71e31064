import { z } from 'zod';

/** Times in answers: ISO 8601 UTC with milliseconds (ID-3). */
export const timestamp = z.iso.datetime({ precision: 3 });

/**
 * A whole number from `min` to `max` in text form. Only decimal digits are allowed, since `Number` would also accept
 * `1e1`, `0x10`, ` 10` and the empty text (API-5). `error` is the message.
 */
export const wholeNumber = (min: number, max: number, error: string) =>
  z
    .string({ error })
    .regex(/^(?:0|[1-9]\d{0,9})$/, error)
    .transform(Number)
    .pipe(z.int({ error }).min(min, error).max(max, error));

/**
 * One line from a user, for a name, description or reason: 1 to `most` characters after trimming. Control characters
 * and line separators are not allowed, since they could make one line look like two (API-3).
 */
export const lineOfText = (most: number) => lineUpTo(most).min(1);

/** An optional line: null and an empty text count as none. */
export const optionalLine = (most: number) =>
  lineUpTo(most)
    .nullable()
    .overwrite((text) => (text === '' ? null : text));

/** Control characters (Cc) and line or paragraph separators, as ranges readable for any JSON Schema validator. */
const breaking = String.raw`\u0000-\u001f\u007f-\u009f\u2028\u2029`;
const oneLine = new RegExp(`^[^${breaking}]*$`);

/** One line of at most this many characters as it is, possibly empty. */
export const oneLineUpTo = (most: number) =>
  z.string().max(most).regex(oneLine, 'must be one line, without control characters');

const lineUpTo = (most: number) =>
  z.string().trim().max(most).regex(oneLine, 'must be one line, without control characters');
