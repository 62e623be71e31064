import { decodeCursor, encodeCursor } from './page-cursors.js';
import type { WireContext } from './wire-context.js';
import { cloudError } from './wire-errors.js';

const defaultPageSize = 10;

/** Which Open Cloud list page is asked for, and how to name the one behind it. */
export interface CloudPage {
  size: number;
  /** The place that the page begins after; undefined on the first page. */
  after: number | undefined;
  /** The page token after `place`. */
  tokenAfter(place: number): string;
}

/**
 * Reads `maxPageSize` and `pageToken`. A size above `largest` is lowered, not refused; a token whose other arguments
 * have changed is a 400 (Roblox cloud/reference/patterns).
 */
export function readCloudPage(ctx: Pick<WireContext, 'URL' | 'state'>, largest: number): CloudPage {
  const query = new URLSearchParams(ctx.URL.searchParams);
  const token = query.get('pageToken') ?? '';
  query.delete('pageToken');
  query.sort();
  const list = `${ctx.state.realPath}?${query}`;
  const cursor = token ? decodeCursor(token, list) : undefined;
  if (token && !cursor) throw cloudError(400, 'The page token is invalid or does not belong to these arguments.');
  return {
    size: Math.min(readSize(query.get('maxPageSize')), largest),
    after: cursor?.after,
    tokenAfter: (place) => encodeCursor({ list, after: place, backwards: false }),
  };
}

function readSize(text: string | null): number {
  if (text === null || text === '') return defaultPageSize;
  const size = Number(text);
  if (!Number.isInteger(size) || size < 0) throw cloudError(400, 'maxPageSize must be a positive integer.');
  return size === 0 ? defaultPageSize : size;
}
