import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type en from '../locales/en.json';

/** The name of a text in `en.json`, which every other locale has too. */
export type TextKey = keyof typeof en;

/** The languages that the bot speaks. */
export const locale = z.enum(['en', 'de']);
export type Locale = z.output<typeof locale>;

type Texts = typeof en;

// Read rather than imported: importing JSON makes Node 20 print an ExperimentalWarning.
const read = (name: Locale): Texts =>
  JSON.parse(readFileSync(new URL(`../locales/${name}.json`, import.meta.url), 'utf8'));
const texts: Readonly<Record<Locale, Texts>> = { en: read('en'), de: read('de') };

const current = new AsyncLocalStorage<Locale>();

/** Runs `work`; every text made within it is in that language. */
export function withLocale<T>(name: Locale, work: () => T): T {
  return current.run(name, work);
}

/** The language of the running code: English unless set by `withLocale`. */
export function currentLocale(): Locale {
  return current.getStore() ?? 'en';
}

/** Whether there is a text of that name. */
export const isTextKey = (key: string): key is TextKey => Object.hasOwn(texts.en, key);

/**
 * The text named `key` in the language of the running code (`withLocale`), with every `{placeholder}` filled from
 * `values`. Values from people must have their Markdown escaped by the caller.
 */
export function t(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  return fill(texts[currentLocale()][key], values);
}

/** A text with its `{placeholder}`s filled. A placeholder without a value stays as it is. */
export function fill(text: string, values: Readonly<Record<string, unknown>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
}
