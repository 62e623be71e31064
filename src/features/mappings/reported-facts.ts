import { z } from 'zod';
import { oneLineUpTo } from '../../lib/fields.js';

// Facts that a server's game reports about its players (FACT-1). They are the server's own word.

export const factKey = z.string().regex(/^[a-z0-9_]{1,32}$/, 'must have 1 to 32 of a to z, 0 to 9 and _');

/** Longest text of a fact, in UTF-16 units. */
export const longestFact = 64;

/** Whole numbers up to this size lose nothing in a double. */
export const factNumber = z.number().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER);

const factText = oneLineUpTo(longestFact).refine((text) => !/\p{Cs}/u.test(text), 'must be valid Unicode');

export const factValue = z.union([factNumber, z.boolean(), factText]);
export type FactValue = z.output<typeof factValue>;

/** A value that a condition asks for. A text without a visible character is a slip. */
export const wantedValue = factValue.refine((value) => String(value).trim() !== '', 'must not be empty');

/** All facts reported about one account, by key. */
export type ReportedFacts = ReadonlyMap<string, FactValue>;

export const noFacts: ReportedFacts = new Map();

export const factCondition = z
  .strictObject({
    type: z.literal('fact'),
    key: factKey.describe('The name by which the game reports it.'),
    is: wantedValue.exactOptional().describe('The fact is exactly this.'),
    atLeast: factNumber.exactOptional().describe('The fact is a number not below this one.'),
    atMost: factNumber.exactOptional().describe('The fact is a number not above this one.'),
  })
  .refine(({ is, atLeast, atMost }) => (is === undefined) !== (atLeast === undefined && atMost === undefined), {
    path: ['is'],
    error: 'either is, or atLeast and atMost or one of them',
  })
  .refine(({ atLeast, atMost }) => atLeast === undefined || atMost === undefined || atLeast <= atMost, {
    path: ['atMost'],
    error: 'must not be less than atLeast',
  })
  .meta({ id: 'FactCondition' })
  .describe("The server's own game has reported it about the account. Until then it is unknown.");
export type FactCondition = z.output<typeof factCondition>;

/** Whether a fact meets a condition; null if nobody has reported it. A value of another type never meets it. Pure. */
export function meetsFact({ is, atLeast, atMost }: FactCondition, value: FactValue | undefined): boolean | null {
  if (value === undefined) return null;
  if (is !== undefined) return value === is;
  return typeof value === 'number' && value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity);
}
