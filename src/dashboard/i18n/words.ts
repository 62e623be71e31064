import type { Schemas } from '../../client/api-types.js';
import { fillText } from '../../lib/fill-text.js';
import type en from '../locales/en.json';
import type me from '../locales/me/en.json';
import type moving from '../locales/moving/en.json';
import type ranking from '../locales/ranking/en.json';

/** A text's name in `en.json` and in every other language. */
export type WordKey = keyof typeof en | keyof typeof me | keyof typeof moving | keyof typeof ranking;
type Texts = Readonly<Record<keyof typeof en, string>>;
/** Texts that few pages need, outside the first load, by their subject. */
interface LateTexts {
  me: Readonly<Record<keyof typeof me, string>>;
  moving: Readonly<Record<keyof typeof moving, string>>;
  ranking: Readonly<Record<keyof typeof ranking, string>>;
}
type LateSubject = keyof LateTexts;
type Refusals = Readonly<Record<string, string>>;

/** The dashboard's languages, by their own names: the same as the bot's. */
export const languages: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  pl: 'Polski',
  'pt-BR': 'Português (Brasil)',
  tr: 'Türkçe',
};
export type Language = Schemas['Installation']['languages'][number];

export const isLanguage = (name: string): name is Language => Object.hasOwn(languages, name);

/** Each language has its own file. English refusals are in words already. */
const loaders: Readonly<Record<Language, () => Promise<[{ default: Texts }, { default: Refusals }]>>> = {
  en: () => Promise.all([import('../locales/en.json'), { default: {} }]),
  de: () => Promise.all([import('../locales/de.json'), import('../../locales/de-refusals.json')]),
  es: () => Promise.all([import('../locales/es.json'), import('../../locales/es-refusals.json')]),
  fr: () => Promise.all([import('../locales/fr.json'), import('../../locales/fr-refusals.json')]),
  pl: () => Promise.all([import('../locales/pl.json'), import('../../locales/pl-refusals.json')]),
  'pt-BR': () => Promise.all([import('../locales/pt-BR.json'), import('../../locales/pt-BR-refusals.json')]),
  tr: () => Promise.all([import('../locales/tr.json'), import('../../locales/tr-refusals.json')]),
};

const lateLoaders: Readonly<Record<Language, { [Name in LateSubject]: () => Promise<{ default: LateTexts[Name] }> }>> =
  {
    en: {
      me: () => import('../locales/me/en.json'),
      moving: () => import('../locales/moving/en.json'),
      ranking: () => import('../locales/ranking/en.json'),
    },
    de: {
      me: () => import('../locales/me/de.json'),
      moving: () => import('../locales/moving/de.json'),
      ranking: () => import('../locales/ranking/de.json'),
    },
    es: {
      me: () => import('../locales/me/es.json'),
      moving: () => import('../locales/moving/es.json'),
      ranking: () => import('../locales/ranking/es.json'),
    },
    fr: {
      me: () => import('../locales/me/fr.json'),
      moving: () => import('../locales/moving/fr.json'),
      ranking: () => import('../locales/ranking/fr.json'),
    },
    pl: {
      me: () => import('../locales/me/pl.json'),
      moving: () => import('../locales/moving/pl.json'),
      ranking: () => import('../locales/ranking/pl.json'),
    },
    'pt-BR': {
      me: () => import('../locales/me/pt-BR.json'),
      moving: () => import('../locales/moving/pt-BR.json'),
      ranking: () => import('../locales/ranking/pt-BR.json'),
    },
    tr: {
      me: () => import('../locales/me/tr.json'),
      moving: () => import('../locales/moving/tr.json'),
      ranking: () => import('../locales/ranking/tr.json'),
    },
  };
const late: Partial<Record<Language, Readonly<Record<string, string>>>> = {};
const lateSubjects = new Set<LateSubject>();

/** Loads a subject's texts, in the present language and in each one chosen later. It belongs to loading the page. */
export async function loadLateWords(subject: LateSubject, language: Language = wantedLanguage()): Promise<void> {
  lateSubjects.add(subject);
  const { default: texts } = await lateLoaders[language][subject]();
  late[language] = { ...late[language], ...texts };
}

export interface Words {
  language: Language;
  /** Whether there is a text by that name: a newer service's codes may have none. */
  has(key: string): key is WordKey;
  t(key: WordKey, values?: Readonly<Record<string, string | number>>): string;
  /** A refusal's text by its code, if this language has one. */
  refusal(code: string, values: Readonly<Record<string, unknown>>): string | undefined;
  number(value: number): string;
  /** A share between 0 and 1. */
  percent(share: number): string;
  /** A change as a whole number, or a fraction as a percentage, with its sign. */
  signed(change: number, style?: 'decimal' | 'percent'): string;
  /** An ISO time as date and time. */
  time(iso: string): string;
  /** An ISO day as a date. */
  day(iso: string): string;
  /** An ISO time's day, with its year. */
  date(iso: string): string;
  /** An ISO time's hour and minute. */
  clock(iso: string): string;
  /** An ISO time against `now` in ms: "3 minutes ago". */
  ago(iso: string, now: number): string;
  /** An ISO time to come against `now` in ms: "in 12 seconds". */
  until(iso: string, now: number): string;
  /** A duration in seconds, in its largest unit. */
  duration(seconds: number): string;
  /** Names one after the other, with the word for "and". */
  list(names: readonly string[]): string;
  /** Names joined by "or". */
  either(names: readonly string[]): string;
}

/** Loads a language. Throws where its file can't be had. */
export async function loadWords(language: Language): Promise<Words> {
  const [[texts, refusals]] = await Promise.all([
    loaders[language](),
    ...[...lateSubjects].map((subject) => loadLateWords(subject, language)),
  ]);
  return makeWords(language, texts.default, refusals.default);
}

function makeWords(language: Language, texts: Texts, refusals: Refusals): Words {
  // The texts are in British English, and so are their dates.
  const ofDates = language === 'en' ? 'en-GB' : language;
  const when = new Intl.DateTimeFormat(ofDates, { dateStyle: 'medium', timeStyle: 'short' });
  const date = new Intl.DateTimeFormat(ofDates, { day: 'numeric', month: 'long', timeZone: 'UTC' });
  const fullDay = new Intl.DateTimeFormat(ofDates, { dateStyle: 'full' });
  const ofDay = new Intl.DateTimeFormat(ofDates, { timeStyle: 'short' });
  const names = new Intl.ListFormat(language, { type: 'conjunction' });
  const choices = new Intl.ListFormat(language, { type: 'disjunction' });
  const share = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 });
  const isFirst = (key: string): key is keyof Texts => Object.hasOwn(texts, key);
  const textOf = (key: WordKey): string => (isFirst(key) ? texts[key] : (late[language]?.[key] ?? ''));
  return {
    language,
    has: (key): key is WordKey => isFirst(key) || Object.hasOwn(late[language] ?? {}, key),
    t: (key, values = {}) => fillText(textOf(key), values, language),
    refusal(code, values) {
      const text = refusals[`${code}.${String(values.reason)}`] ?? refusals[code];
      const filled = text === undefined ? undefined : fillText(text, values, language);
      // The API does not carry all values that the bot knows: a text with a gap is shown in English.
      return filled?.includes('{') ? undefined : filled;
    },
    number: (value) => value.toLocaleString(language),
    percent: (value) => share.format(value),
    signed: (value, style = 'decimal') =>
      value.toLocaleString(language, { style, signDisplay: 'exceptZero', maximumFractionDigits: 0 }),
    time: (iso) => when.format(Date.parse(iso)),
    date: (iso) => fullDay.format(Date.parse(iso)),
    clock: (iso) => ofDay.format(Date.parse(iso)),
    day: (iso) => date.format(Date.parse(iso)),
    ago: (iso, now) => relative(language, beforeSeconds(Date.parse(iso) - now)),
    until: (iso, now) => relative(language, Math.max(0, Date.parse(iso) - now)),
    duration: (seconds) => lengthOf(language, seconds),
    list: (all) => names.format(all),
    either: (all) => choices.format(all),
  };
}

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** Clocks differ by a little: nothing has happened in the next minute. */
const beforeSeconds = (ms: number): number => (ms < 60_000 ? Math.min(0, ms) : ms);

function relative(language: Language, ms: number): string {
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const [unit, length] = units.find(([, size]) => Math.abs(ms) >= size) ?? ['second', 1_000];
  return format.format(unit === 'second' ? Math.round(ms / length) : Math.trunc(ms / length), unit);
}

function lengthOf(language: Language, seconds: number): string {
  const [unit, ms] = units.find(([, size]) => seconds * 1_000 >= size) ?? ['second', 1_000];
  const format = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 } as const;
  return ((seconds * 1_000) / ms).toLocaleString(language, format);
}

const storageKey = 'rolelink-language';

/** The language that was chosen in this browser, else the browser's first that there is. */
export function wantedLanguage(): Language {
  const wishes = [localStorage.getItem(storageKey) ?? '', ...navigator.languages];
  for (const wish of wishes) {
    const [base = ''] = wish.split('-');
    if (isLanguage(wish)) return wish;
    if (isLanguage(base)) return base;
    if (base === 'pt') return 'pt-BR';
  }
  return 'en';
}

export const rememberLanguage = (language: Language): void => localStorage.setItem(storageKey, language);
