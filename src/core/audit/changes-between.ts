import { isDeepStrictEqual } from 'node:util';
import type { Changes } from './audit-model.js';

/**
 * The named fields that changed, before and after. Null marks a new or removed value. `wordsFor` supplies a field's
 * text if it is not the value itself.
 */
export function changesBetween<T extends object, Field extends keyof T & string>(
  before: T | null,
  after: T | null,
  fields: readonly Field[],
  wordsFor = (whole: T, field: Field): unknown => whole[field],
): Changes {
  const shown = (whole: T | null, field: Field): unknown => (whole === null ? null : (wordsFor(whole, field) ?? null));
  const changed = fields.filter((field) => !isDeepStrictEqual(before?.[field] ?? null, after?.[field] ?? null));
  return Object.fromEntries(changed.map((field) => [field, { from: shown(before, field), to: shown(after, field) }]));
}
