import { z } from 'zod';

/** Moments in answers: ISO 8601 UTC with milliseconds (ID-3). */
export const timestamp = z.iso.datetime({ precision: 3 });

/**
 * A whole number from `min` to `max` that comes as text: decimal digits and nothing else, since `Number` would also take
 * `1e1`, `0x10`, ` 10` and the empty text (API-5). `error` says what is taken.
 */
export const wholeNumber = (min: number, max: number, error: string) =>
  z
    .string({ error })
    .regex(/^(?:0|[1-9]\d{0,9})$/, error)
    .transform(Number)
    .pipe(z.int({ error }).min(min, error).max(max, error));

/**
 * One line that a person writes, as a name, description or reason: without the spaces around it 1 to `most` characters,
 * and no control character or line separator, which could make one line of a list or file look like two (API-3).
 */
export const lineOfText = (most: number) => lineUpTo(most).min(1);

/** A line that may be left out: null, and one that is empty is none. */
export const optionalLine = (most: number) =>
  lineUpTo(most)
    .nullable()
    .overwrite((text) => (text === '' ? null : text));

/** No control character (Cc) and no separator of lines or paragraphs, in ranges that any validator of JSON Schema reads. */
const breaking = String.raw`\u0000-\u001f\u007f-\u009f\u2028\u2029`;
const oneLine = new RegExp(`^[^${breaking}]*$`);

const lineUpTo = (most: number) =>
  z.string().trim().max(most).regex(oneLine, 'must be one line, without control characters');
