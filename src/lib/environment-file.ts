import { parseEnv } from 'node:util';
import { ConfigError } from './start-error.js';

/**
 * A `.env` file's variables. Windows editors write it in UTF-16, or with a byte order mark. @throws ConfigError if it
 * is not readable text.
 */
export function parseDotEnv(bytes: Uint8Array, path: string): Record<string, string | undefined> {
  try {
    return parseEnv(new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new ConfigError(`${path} is not in UTF-8. Save it anew with the encoding UTF-8.`, { cause });
  }
}

/** The encoding by the byte order mark. Without one, each Latin letter in UTF-16 has a zero byte before or after it. */
function encodingOf([first, second]: Uint8Array): string {
  if ((first === 0xff && second === 0xfe) || (first !== undefined && first !== 0 && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== undefined && second !== 0)) return 'utf-16be';
  return 'utf-8';
}

/** The set names that are similar to a known, unset name, each with that name. */
export function mistypedNames(set: readonly string[], read: readonly string[]): [name: string, meant: string][] {
  const missing = read.filter((name) => !set.includes(name));
  return set
    .filter((name) => !read.includes(name))
    .flatMap((name) => {
      const meant = missing.find((each) => isNearly(name, each));
      return meant === undefined ? [] : [[name, meant] as [string, string]];
    });
}

/**
 * Whether two names differ only by case, `_` and `-`, by one missing, extra or different letter, or by two swapped
 * letters.
 */
function isNearly(name: string, meant: string): boolean {
  const [a, b] = [name, meant].map((each) => each.toUpperCase().replaceAll(/[^A-Z0-9]/g, ''));
  if (a === undefined || b === undefined) return false;
  if (a === b) return true;
  if (meant.length < 6 || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  const isSwap = restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
  const isOther = restA.slice(1) === restB.slice(1);
  return isSwap || isOther || restA.slice(1) === restB || restA === restB.slice(1);
}
