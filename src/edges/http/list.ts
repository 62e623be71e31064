import { z } from 'zod';
import type { Page } from '../../lib/cursor.js';
import { wholeNumber } from '../../lib/fields.js';
import { type Answer, ok } from './answer.js';

/** Every list's query (API-20); extend it with the list's own filters. */
export const listQuery = z.strictObject({
  limit: wholeNumber(1, 100, 'must be a number from 1 to 100')
    .default(25)
    .meta({ override: { type: 'integer', pattern: undefined, minimum: 1, maximum: 100 } }),
  cursor: z.string().max(500).optional(),
});

/** Every list's answer (API-20). */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({ data: z.array(item), nextCursor: z.string().nullable() });

export const okPage = <T>({ data, nextCursor }: Page<T>, view: (item: T) => unknown): Answer =>
  ok({ data: data.map((item) => view(item)), nextCursor });
