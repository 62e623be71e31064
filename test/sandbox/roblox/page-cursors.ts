import { z } from 'zod';

const cursorShape = z.tuple([z.string(), z.number(), z.boolean()]);

/** A place in a list. */
export interface PageCursor {
  /** Everything that must stay the same from page to page: path, filter, order. */
  list: string;
  /** The `order` (or position) that the page begins after. */
  after: number;
  /** Whether the page lies before that place and not behind it. */
  backwards: boolean;
}

/** An opaque text that names a place in one list. */
export function encodeCursor({ list, after, backwards }: PageCursor): string {
  return Buffer.from(JSON.stringify([list, after, backwards])).toString('base64url');
}

/** The place that a text names, or undefined when it was not made by `encodeCursor` for this very list. */
export function decodeCursor(text: string, list: string): PageCursor | undefined {
  const parsed = cursorShape.safeParse(readJson(Buffer.from(text, 'base64url').toString()));
  if (!parsed.success) return undefined;
  const [madeFor, after, backwards] = parsed.data;
  return madeFor === list ? { list, after, backwards } : undefined;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
