import { queryOptions } from '@tanstack/react-query';
import type { Language } from '../../i18n/words.js';

type Texts = Readonly<Record<string, string>>;

/** Findings' words, which no other page needs: each language has its own file. */
const loaders: Readonly<Record<Language, () => Promise<{ default: Texts }>>> = {
  en: () => import('../../locales/doctor/en.json'),
  de: () => import('../../locales/doctor/de.json'),
  es: () => import('../../locales/doctor/es.json'),
  fr: () => import('../../locales/doctor/fr.json'),
  pl: () => import('../../locales/doctor/pl.json'),
  'pt-BR': () => import('../../locales/doctor/pt-BR.json'),
  tr: () => import('../../locales/doctor/tr.json'),
};

/** The findings' words, by names such as `finding.disk_ok`, in a language. */
export const findingTextsQuery = (language: Language) =>
  queryOptions({
    queryKey: ['finding-texts', language],
    queryFn: async () => (await loaders[language]()).default,
    staleTime: Number.POSITIVE_INFINITY,
  });
