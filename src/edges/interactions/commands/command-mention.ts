import { container } from '@sapphire/framework';
import { ApplicationCommandOptionType, ApplicationCommandType, chatInputApplicationCommandMention } from 'discord.js';
import { fillText } from '../../../lib/fill-text.js';
import { currentLocale, type TextKey, t } from '../../../lib/translate.js';

const commandName = /(?<![\w/<:])\/([a-z]+)(?: ([a-z]+))?/g;

/**
 * The text `key`, with every command in it turned into a clickable mention. Values are filled in afterwards, so a
 * command in user text stays plain. Not for labels and titles, where Discord renders no mentions.
 */
export function pressable(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  const mentioned = t(key).replace(commandName, (whole, name: string, next?: string) => {
    return mentionOf(name, next) ?? whole;
  });
  return fillText(mentioned, values, currentLocale());
}

/** `next`: the following word, which may be a subcommand. Null if the command is not registered. */
function mentionOf(name: string, next: string | undefined): string | null {
  const commands = container.client.application?.commands.cache;
  const command = commands?.find((each) => each.name === name && each.type === ApplicationCommandType.ChatInput);
  if (command === undefined) return null;
  const { id, options } = command;
  const subcommands = options.filter(({ type }) => type === ApplicationCommandOptionType.Subcommand);
  if (subcommands.length === 0) {
    return chatInputApplicationCommandMention(name, id) + (next === undefined ? '' : ` ${next}`);
  }
  const isThere = next !== undefined && subcommands.some((subcommand) => subcommand.name === next);
  return isThere ? chatInputApplicationCommandMention(name, next, id) : null;
}
