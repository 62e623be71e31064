import { isDeepStrictEqual } from 'node:util';
import type { Changes } from './audit-model.js';

/**
 * What an entry tells of a change: of the named fields those that differ, before and after. Null stands for what is new
 * or gone, and `wordsFor` gives what is told of a field where that is not its value.
 */
export function changesBetween<T extends object, Field extends keyof T & string>(
  before: T | null,
  after: T | null,
  fields: readonly Field[],
  wordsFor = (whole: T, field: Field): unknown => whole[field],
): Changes {
  const told = (whole: T | null, field: Field): unknown => (whole === null ? null : (wordsFor(whole, field) ?? null));
  const changed = fields.filter((field) => !isDeepStrictEqual(before?.[field] ?? null, after?.[field] ?? null));
  return Object.fromEntries(changed.map((field) => [field, { from: told(before, field), to: told(after, field) }]));
}
