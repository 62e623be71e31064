import { Command } from '@sapphire/framework';
import {
  ApplicationCommandType,
  type AutocompleteInteraction,
  type ChatInputCommandInteraction,
  InteractionContextType,
  PermissionFlagsBits,
  SlashCommandBuilder,
  type SlashCommandSubcommandBuilder,
} from 'discord.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { type TextKey, t } from '../../../lib/translate.js';
import { note } from '../replies/reply.js';
import type { Answer } from '../replies/reply-answer.js';
import { serve, type Visit } from '../serve-interaction.js';
import { type Suggestion, suggest } from '../suggestions.js';
import type { Access } from './command-access.js';
import { buildInEveryLocale, commandWords, translationsOf } from './command-localizations.js';

type After<Prefix extends string, Key = TextKey> = Key extends `${Prefix}${infer Name}` ? Name : never;
type CommandName = After<'command.'>;

/** A slash command for guilds. Its description is the text `command.<name>`, for example `command.group`. */
export abstract class GuildCommand extends Command {
  readonly #name: CommandName;
  readonly #forManagers: boolean;

  /**
   * `forManagers`: Discord shows the command only to people with Manage Server, unless the guild overrides that
   * (DISC-2).
   */
  constructor(
    context: Command.LoaderContext,
    name: CommandName,
    { forManagers = false, aliases = [] as string[] } = {},
  ) {
    super(context, { name, description: t(`command.${name}`), aliases });
    this.#name = name;
    this.#forManagers = forManagers;
    this.#tryToBuild();
  }

  /** Ends the boot with a command that Discord could not take. Sapphire would leave it out, and log one line. */
  #tryToBuild(): void {
    try {
      this.#describe(new SlashCommandBuilder()).toJSON();
    } catch (cause) {
      throw new Error(`Discord can't take the command /${this.#name}: it has too many options, or a text too long.`, {
        cause,
      });
    }
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
    command.setName(this.#name).setDescription(t(`command.${this.#name}`));
    this.addOptions(command);
    return command;
  }

  protected addOptions(_command: SlashCommandBuilder): void {}
}

export interface CommandUse extends Visit {
  interaction: ChatInputCommandInteraction;
  options: ChatInputCommandInteraction['options'];
}

interface Action<Builder> {
  /** The access it needs; a function where the options decide. */
  as: Access | ((interaction: ChatInputCommandInteraction) => Access);
  opensForm?: boolean;
  options?(command: Builder): unknown;
  run(use: CommandUse): Promise<Answer>;
}

interface CommandShape {
  forManagers?: boolean;
  /** Suggestions for the option being typed, for people with a team role. */
  suggest?(guild: Guild, interaction: AutocompleteInteraction): Promise<Suggestion[]>;
  /** The same command in a person's context menu; `run` receives that person's chatUserId. */
  menu?: { name: TextKey; run(entrance: Visit, chatUserId: string): Promise<Answer> };
}

type Subcommands<Name extends string> = { [Sub in After<`command.${Name}_`>]?: Action<SlashCommandSubcommandBuilder> };

type CommandPiece = new (context: Command.LoaderContext) => Command;

/**
 * Defines a slash command for guilds with one action, or with one action per subcommand. Texts are named after both:
 * `command.group`, `command.group_add`.
 */
export function guildCommand<Name extends CommandName>(
  name: Name,
  shape: CommandShape & (Action<SlashCommandBuilder> | { subcommands: Subcommands<Name> }),
): CommandPiece {
  const { suggest: find, menu } = shape;
  const subcommands = 'subcommands' in shape ? actionsOf(shape.subcommands) : new Map<string, never>();

  return class extends GuildCommand {
    constructor(context: Command.LoaderContext) {
      super(context, name, { forManagers: shape.forManagers ?? false, aliases: menu ? [t(menu.name)] : [] });
      if (find) this.autocompleteRun = (interaction) => suggest(interaction, (guild) => find(guild, interaction));
      if (menu) {
        this.contextMenuRun = (interaction) =>
          serve(interaction, { as: 'member' }, async (entrance) =>
            interaction.isUserContextMenuCommand() && interaction.targetUser.bot
              ? aboutBot()
              : menu.run(entrance, interaction.targetId),
          );
      }
    }

    override registerApplicationCommands(registry: Command.Registry): void {
      super.registerApplicationCommands(registry);
      if (menu) registerMenu(registry, menu.name);
    }

    override chatInputRun(interaction: ChatInputCommandInteraction) {
      const action = 'run' in shape ? shape : subcommands.get(interaction.options.getSubcommand());
      if (action === undefined) throw new Error(`/${name} has no such subcommand.`);
      const { as, opensForm = false, run } = action;
      const service = { as: typeof as === 'function' ? as(interaction) : as, opensForm };
      return serve(interaction, service, async (entrance) =>
        namesBot(interaction) ? aboutBot() : run({ ...entrance, interaction, options: interaction.options }),
      );
    }

    protected override addOptions(command: SlashCommandBuilder) {
      if ('run' in shape) shape.options?.(command);
      for (const [sub, action] of subcommands) {
        command.addSubcommand((part) => {
          part.setName(sub).setDescription(commandWords(name, sub) ?? '');
          action.options?.(part);
          return part;
        });
      }
    }
  };
}

/** Whether the named member is a bot. Bots have no account and are skipped. */
const namesBot = ({ options }: ChatInputCommandInteraction): boolean => options.getUser('member')?.bot === true;

const aboutBot = () => note('attention', t('error.bot'));

const actionsOf = (subcommands: object): Map<string, Action<SlashCommandSubcommandBuilder>> =>
  new Map(Object.entries(subcommands));

function registerMenu(registry: Command.Registry, name: TextKey): void {
  registry.registerContextMenuCommand((menu) =>
    menu
      .setName(t(name))
      .setNameLocalizations(translationsOf(name))
      .setType(ApplicationCommandType.User)
      .setContexts(InteractionContextType.Guild),
  );
}
