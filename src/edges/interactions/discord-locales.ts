import { type LocaleString, Locale as OfDiscord } from 'discord.js';
import type { Locale } from '../../lib/translate.js';

/** The languages of Discord's clients that each of ours is read in. */
export const discordLocales: Readonly<Record<Locale, readonly LocaleString[]>> = {
  en: [OfDiscord.EnglishUS, OfDiscord.EnglishGB],
  de: [OfDiscord.German],
  es: [OfDiscord.SpanishES, OfDiscord.SpanishLATAM],
  'pt-BR': [OfDiscord.PortugueseBR],
  fr: [OfDiscord.French],
  pl: [OfDiscord.Polish],
  tr: [OfDiscord.Turkish],
};

const ours = new Map(
  (Object.keys(discordLocales) as Locale[]).flatMap((name) => discordLocales[name].map((theirs) => [theirs, name])),
);

/** Which of our languages a person's client is in; undefined for one that the bot does not speak. */
export const localeOfClient = (theirs: LocaleString): Locale | undefined => ours.get(theirs);
