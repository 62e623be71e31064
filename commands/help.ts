import type { Command } from '@sapphire/framework';
import { PermissionFlagsBits } from 'discord.js';
import { GuildCommand } from '../src/edges/interactions/commands/command-in-guild.js';
import { guildPage } from '../src/edges/interactions/dashboard-link.js';
import { helpReply } from '../src/edges/interactions/replies/reply-help.js';
import { answer } from '../src/edges/interactions/serve-interaction.js';

/** Also answers in suspended or unknown servers. */
export class HelpCommand extends GuildCommand {
  constructor(context: Command.LoaderContext) {
    super(context, 'help');
  }

  override chatInputRun(interaction: Command.ChatInputCommandInteraction) {
    return answer(interaction, async () => {
      const registered = this.container.client.application?.commands.cache.values() ?? [];
      const { guildId, memberPermissions } = interaction;
      const manages = memberPermissions?.has(PermissionFlagsBits.ManageGuild) ?? false;
      const page = guildId !== null && manages ? guildPage(guildId) : '/me';
      return helpReply([...registered], memberPermissions, page);
    });
  }
}
