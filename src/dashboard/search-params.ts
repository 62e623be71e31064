import { parseSearchWith, stringifySearchWith } from '@tanstack/react-router';

/** An address value as JSON, but a number that would not be written so again is text: an id has too many digits. */
function searchValue(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'number' && String(value) !== text) throw new SyntaxError('not a number of JavaScript');
  return value;
}

/** Parses the part of an address after `?`. A link typed by hand finds the same as a generated one. */
export const parseSearch = parseSearchWith(searchValue);

/** Writes parameters so that `parseSearch` reads the same. */
export const stringifySearch = stringifySearchWith(JSON.stringify, searchValue);
