import type { Words } from '../i18n/words.js';
import { fixedValueWords } from './fixed-values.js';
import { permissionWords } from './permission-words.js';
import { settingName } from './setting-words.js';

export type NameOf = (id: string) => string | undefined;

/** The name of a changed field: from the settings, else from the log, else from the API. */
export function fieldWords(field: string, words: Pick<Words, 'has' | 't'>): string {
  const key = `log_field.${field}`;
  return words.has(key) ? words.t(key) : settingName(field, words);
}

/** A field's value in words: "on", "@Officer", "Manage Messages"; JSON if it has none. */
export function changeWords(field: string, value: unknown, nameOf: NameOf, words: Words): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return words.t(value ? 'settings.on' : 'settings.off');
  if (typeof value === 'number') return words.number(value);
  if (typeof value === 'string') return fixedValueWords(field, value, words) ?? textWords(value, nameOf, words);
  if (!Array.isArray(value)) return JSON.stringify(value);
  return value.length === 0 ? '–' : words.list(value.map((each) => changeWords(field, each, nameOf, words)));
}

function textWords(text: string, nameOf: NameOf, words: Words): string {
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return words.time(text);
  return nameOf(text) ?? (words.has(`permission.${text}`) ? permissionWords(text, words) : text);
}
