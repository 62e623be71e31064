import type { LocaleString, LocalizationMap, SlashCommandBuilder, ToAPIApplicationCommandOptions } from 'discord.js';
import { isTextKey, locale, type TextKey, t, withLocale } from '../../../lib/translate.js';
import { discordLocales } from '../discord-locales.js';

const others = locale.options.filter((option) => option !== 'en');

/** A subcommand or an option, in the form that builders keep. */
interface Part extends ToAPIApplicationCommandOptions {
  description: string;
  options?: readonly Part[];
  choices?: readonly { name: string; name_localizations?: LocalizationMap | null }[];
  setDescriptionLocalization(name: LocaleString, text: string): unknown;
}

/** The description for a command or subcommand, from the text named after it. Undefined if there is none. */
export function commandWords(command: string, subcommand?: string): string | undefined {
  const key = subcommand === undefined ? `command.${command}` : `command.${command}_${subcommand}`;
  return isTextKey(key) ? t(key) : undefined;
}

/** A text in every language except English, in Discord's localization format. */
export function translationsOf(key: TextKey): LocalizationMap {
  return Object.fromEntries(
    others.flatMap((name) => discordLocales[name].map((theirs) => [theirs, withLocale(name, () => t(key))])),
  );
}

/** Localizes a command for Discord. `build` builds the command in the current language and runs once per language. */
export function buildInEveryLocale(command: SlashCommandBuilder, build: () => SlashCommandBuilder): void {
  for (const name of others) {
    const translated = withLocale(name, build);
    for (const theirs of discordLocales[name]) {
      command.setDescriptionLocalization(theirs, translated.description);
      localizeParts(partsOf(command), partsOf(translated), theirs);
    }
  }
}

// Every command part has these fields, although the builders' types don't declare them.
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
