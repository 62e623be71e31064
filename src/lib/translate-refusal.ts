import { readFileSync } from 'node:fs';
import type { AppError } from './errors.js';
import { fillText } from './fill-text.js';
import { currentLocale, inEachLocale, type Locale } from './translate.js';

/** Refusals' translations, by code, or by code and reason, if these are enough for a complete text. */
type Refusals = Readonly<Record<string, string>>;

const read = (name: Locale): Refusals =>
  JSON.parse(readFileSync(new URL(`../locales/${name}-refusals.json`, import.meta.url), 'utf8'));
/** English refusals already have their text. */
const refusals = inEachLocale((name) => (name === 'en' ? {} : read(name)));

/**
 * A refusal in the running code's language. It stays English if only the English sentence has its details, or if there
 * is no translation.
 */
export function refusalWords({ code, message, details }: AppError): string {
  const known = refusals[currentLocale()];
  const text = known[`${code}.${String(details.reason)}`] ?? known[code];
  return text === undefined ? message : fillText(text, details, currentLocale());
}
