import { type LocaleString, Locale as OfDiscord } from 'discord.js';
import type { Locale } from '../../lib/translate.js';

/** Discord's client languages, by the bot language shown for them. */
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

/** The bot language for a person's client; undefined for an unsupported language. */
export const localeOfClient = (theirs: LocaleString): Locale | undefined => ours.get(theirs);
