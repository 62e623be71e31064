import { readFileSync } from 'node:fs';
import type en from './en.json';

/** The name of a text in `en.json`. */
export type TextKey = keyof typeof en;

// Read rather than imported: importing JSON makes Node 20 print an ExperimentalWarning.
const texts: typeof en = JSON.parse(readFileSync(new URL('./en.json', import.meta.url), 'utf8'));

/**
 * The text named `key` in the words of the guild's locale, of which English is the only one so far (SPEC §4 Settings),
 * with every `{placeholder}` filled from `values`. Values from people must have their Markdown escaped by the caller.
 */
export function t(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  return texts[key].replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
}
