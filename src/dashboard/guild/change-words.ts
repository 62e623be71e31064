import type { Words } from '../i18n/words.js';
import { permissionWords } from './permission-words.js';
import { settingName } from './setting-words.js';

/** What ids are called: roles and groups. Undefined for those that are not known. */
export type NameOf = (id: string) => string | undefined;

/** The name of what was changed: as the settings have it, as the log has it, and else as the API has it. */
export function fieldWords(field: string, words: Pick<Words, 'has' | 't'>): string {
  const key = `log_field.${field}`;
  return words.has(key) ? words.t(key) : settingName(field, words);
}

/** A value of a change in words: "on", "@Officer", "Manage Messages"; what has none as JSON. */
export function changeWords(value: unknown, nameOf: NameOf, words: Words): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return words.t(value ? 'settings.on' : 'settings.off');
  if (typeof value === 'number') return words.number(value);
  if (typeof value === 'string') return textWords(value, nameOf, words);
  if (!Array.isArray(value)) return JSON.stringify(value);
  return value.length === 0 ? '–' : words.list(value.map((each) => changeWords(each, nameOf, words)));
}

function textWords(text: string, nameOf: NameOf, words: Words): string {
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return words.time(text);
  return nameOf(text) ?? (words.has(`permission.${text}`) ? permissionWords(text, words) : text);
}
