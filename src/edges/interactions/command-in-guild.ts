import { Command } from '@sapphire/framework';
import { InteractionContextType, PermissionFlagsBits, SlashCommandBuilder } from 'discord.js';
import { buildInEveryLocale, commandWords } from './command-localizations.js';

type GuildCommandOptions = { description: string; aliases?: string[]; forManagers?: boolean };

/** A slash command of guilds, named like its file. Its `description` is registered with it and listed by /help. */
export abstract class GuildCommand extends Command {
  readonly #forManagers: boolean;

  /** `forManagers`: Discord shows it only to who has Manage Server, unless the guild decides otherwise (SPEC §8). */
  constructor(context: Command.LoaderContext, { description, aliases = [], forManagers = false }: GuildCommandOptions) {
    super(context, { description, aliases });
    this.#forManagers = forManagers;
  }

  override registerApplicationCommands(registry: Command.Registry): void {
    registry.registerChatInputCommand((command) => {
      command.setContexts(InteractionContextType.Guild);
      if (this.#forManagers) command.setDefaultMemberPermissions(PermissionFlagsBits.ManageGuild);
      this.#describe(command);
      buildInEveryLocale(command, () => this.#describe(new SlashCommandBuilder()));
      return command;
    });
  }

  #describe(command: SlashCommandBuilder): SlashCommandBuilder {
    command.setName(this.name).setDescription(commandWords(this.name) ?? this.description);
    this.addOptions(command);
    return command;
  }

  /** Adds what the command can be told; nothing, unless overridden. */
  protected addOptions(_command: SlashCommandBuilder): void {}
}
