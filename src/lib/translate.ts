import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type en from '../locales/en.json';
import { AsyncContext } from './async-context.js';
import { fillText } from './fill-text.js';

/** A text's name in `en.json`, which every other locale has too. */
export type TextKey = keyof typeof en;

export const locale = z.enum(['en', 'de', 'es', 'pt-BR', 'fr', 'pl', 'tr']);
export type Locale = z.output<typeof locale>;

type Texts = typeof en;

// Read rather than imported: importing JSON makes Node 20 print an ExperimentalWarning.
const read = (name: Locale): Texts =>
  JSON.parse(readFileSync(new URL(`../locales/${name}.json`, import.meta.url), 'utf8'));
const texts = inEachLocale(read);

const current = new AsyncContext<Locale>();

/** The result of `make` for each language. */
export function inEachLocale<T>(make: (name: Locale) => T): Readonly<Record<Locale, T>> {
  return Object.fromEntries(locale.options.map((name) => [name, make(name)])) as Record<Locale, T>;
}

/** Runs `work`; every text made within it is in that language. */
export function withLocale<T>(name: Locale, work: () => T): T {
  return name === currentLocale() ? work() : current.run(name, work);
}

/** The running code's language: English unless set by `withLocale`. */
export function currentLocale(): Locale {
  return current.get() ?? 'en';
}

export const isTextKey = (key: string): key is TextKey => Object.hasOwn(texts.en, key);

/**
 * The text named `key` in the running code's language (`withLocale`), or in English if that lacks it, filled by
 * `fillText`. The caller must escape Markdown in user values.
 */
export function t(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  return fillText(texts[currentLocale()][key] ?? texts.en[key], values, currentLocale());
}
