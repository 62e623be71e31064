import type { Words } from '../i18n/words.js';
import { fixedValueWords } from './fixed-values.js';

/** A setting's name as the form has it. */
export function settingName(path: string, words: Pick<Words, 'has' | 't'>): string {
  const key = `setting.${path}`;
  return words.has(key) ? words.t(key) : path;
}

export function settingWords(path: string, value: unknown, words: Words): string {
  const { t, list, number } = words;
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return t(value ? 'settings.on' : 'settings.off');
  if (typeof value === 'number') return number(value);
  if (Array.isArray(value))
    return value.length === 0 ? '–' : list(value.map((each) => settingWords(path, each, words)));
  return fixedValueWords(path, String(value), words) ?? String(value);
}
