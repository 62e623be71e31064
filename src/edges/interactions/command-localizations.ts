import type { LocaleString, LocalizationMap, SlashCommandBuilder, ToAPIApplicationCommandOptions } from 'discord.js';
import { isTextKey, locale, type TextKey, t, withLocale } from '../../lib/translate.js';
import { discordLocales } from './discord-locales.js';

const others = locale.options.filter((option) => option !== 'en');

/** A subcommand or an option, as builders keep it. */
interface Part extends ToAPIApplicationCommandOptions {
  description: string;
  options?: readonly Part[];
  choices?: readonly { name: string; name_localizations?: LocalizationMap | null }[];
  setDescriptionLocalization(name: LocaleString, text: string): unknown;
}

/** What a command, or its subcommand, does, by the text that is named after it; undefined when there is none. */
export function commandWords(command: string, subcommand?: string): string | undefined {
  const key = subcommand === undefined ? `command.${command}` : `command.${command}_${subcommand}`;
  return isTextKey(key) ? t(key) : undefined;
}

/** A text in every language but English, as Discord takes it beside the English one. */
export function translationsOf(key: TextKey): LocalizationMap {
  return Object.fromEntries(
    others.flatMap((name) => discordLocales[name].map((theirs) => [theirs, withLocale(name, () => t(key))])),
  );
}

/**
 * Lets Discord show a command to each person in the language of their client. `build` builds it in the language of the
 * running code, as many times as there are languages.
 */
export function buildInEveryLocale(command: SlashCommandBuilder, build: () => SlashCommandBuilder): void {
  for (const name of others) {
    const translated = withLocale(name, build);
    for (const theirs of discordLocales[name]) {
      command.setDescriptionLocalization(theirs, translated.description);
      localizeParts(partsOf(command), partsOf(translated), theirs);
    }
  }
}

// Every part of a command has these, but for the builders' types.
const partsOf = ({ options }: SlashCommandBuilder): readonly Part[] => options as Part[];

function localizeParts(parts: readonly Part[], translated: readonly Part[], name: LocaleString): void {
  for (const [index, part] of parts.entries()) {
    const other = translated[index];
    if (other === undefined) continue;
    part.setDescriptionLocalization(name, other.description);
    localizeParts(part.options ?? [], other.options ?? [], name);
    for (const [at, choice] of (part.choices ?? []).entries()) {
      const text = other.choices?.[at]?.name ?? choice.name;
      choice.name_localizations = { ...choice.name_localizations, [name]: text };
    }
  }
}
