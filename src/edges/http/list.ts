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

/** The query of the requests to join a group, whose pages are Roblox's own (RANKING-25). */
export const joinRequestsQuery = z.strictObject({
  limit: wholeNumber(1, 20, 'must be a number from 1 to 20')
    .default(20)
    .meta({ override: { type: 'integer', pattern: undefined, minimum: 1, maximum: 20 } })
    .describe('Of the first page; a cursor keeps it.'),
  cursor: z.string().max(4_000).optional(),
});

/** Every list's answer (API-20). */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({ data: z.array(item), nextCursor: z.string().nullable() });

export const okPage = <T>({ data, nextCursor }: Page<T>, view: (item: T) => unknown): Answer =>
  ok({ data: data.map((item) => view(item)), nextCursor });
