import {
  type ApplicationCommand,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  chatInputApplicationCommandMention as mention,
  type PermissionsBitField,
} from 'discord.js';
import { commandWords } from './command-localizations.js';

/**
 * A line for each slash command and subcommand as it is registered at Discord, in the order of their names, without
 * those that somebody with `permissions` is not shown by default.
 */
export function helpLines(commands: readonly ApplicationCommand[], permissions: PermissionsBitField | null): string[] {
  return commands
    .filter(({ type }) => type === ApplicationCommandType.ChatInput)
    .filter(({ defaultMemberPermissions: needed }) => needed === null || (permissions?.has(needed) ?? false))
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .flatMap(linesOf);
}

function linesOf({ id, name, description, options }: ApplicationCommand): string[] {
  const subcommands = options.filter(({ type }) => type === ApplicationCommandOptionType.Subcommand);
  if (subcommands.length === 0) return [`${mention(name, id)} ${commandWords(name) ?? description}`];
  return subcommands.map((subcommand) => {
    const words = commandWords(name, subcommand.name) ?? subcommand.description;
    return `${mention(name, subcommand.name, id)} ${words}`;
  });
}
