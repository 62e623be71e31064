import { readFileSync } from 'node:fs';
import type { AppError } from './errors.js';
import { currentLocale, fill, type Locale } from './translate.js';

/** Refusals by their code, or code and reason, where it alone says enough. */
type Refusals = Readonly<Record<string, string>>;

const read = (name: Locale): Refusals =>
  JSON.parse(readFileSync(new URL(`../locales/${name}-refusals.json`, import.meta.url), 'utf8'));
/** English refusals are in words already. */
const refusals: Readonly<Record<Locale, Refusals>> = { en: {}, de: read('de') };

/**
 * A refusal in the language of the running code. One that names what only its English sentence knows stays English, as
 * does one that nobody has translated.
 */
export function refusalWords({ code, message, details }: AppError): string {
  const known = refusals[currentLocale()];
  const text = known[`${code}.${String(details.reason)}`] ?? known[code];
  return text === undefined ? message : fill(text, details);
}
