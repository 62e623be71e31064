import type { z } from 'zod';
import { InvalidRequest, type Issue } from './errors.js';

/** One page with the next one's cursor, null at the end (API-20). */
export interface Page<T> {
  data: T[];
  nextCursor: string | null;
}

/** The requested page: the first one without a cursor. */
export interface PageQuery {
  limit: number;
  cursor?: string | undefined;
}

/** The issue for a foreign cursor, or for another list's. */
export const notOfThisList: Issue = {
  path: 'query.cursor',
  message: 'is not a cursor of this list, with these filters and this sort',
};

/** An opaque cursor for the place after an item. */
export function encodeCursor(place: unknown): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** The place in a cursor; undefined without a cursor. Throws InvalidRequest for a foreign cursor. */
export function decodeCursor<T extends z.ZodType>(shape: T, cursor: string | undefined): z.output<T> | undefined {
  if (cursor === undefined) return undefined;
  try {
    return shape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    throw new InvalidRequest([notOfThisList]);
  }
}

/**
 * Cuts a page from `found`, which was read with `limit + 1` to detect further items. `placeOf` returns the cursor's
 * content for continuing after an item.
 */
export function pageOf<T>(found: readonly T[], limit: number, placeOf: (item: T) => unknown): Page<T> {
  const data = found.slice(0, limit);
  const last = data.at(-1);
  return { data, nextCursor: found.length > limit && last !== undefined ? encodeCursor(placeOf(last)) : null };
}
