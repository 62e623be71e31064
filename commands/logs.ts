import type { Command } from '@sapphire/framework';
import type { SlashCommandBuilder } from 'discord.js';
import { enterAsTeam } from '../src/edges/interactions/command-access.js';
import { GuildCommand } from '../src/edges/interactions/command-in-guild.js';
import { answer } from '../src/edges/interactions/reply-answer.js';
import { logsPage } from '../src/edges/interactions/reply-logs.js';
import { suggest, suggestActions } from '../src/edges/interactions/suggestions.js';
import { t } from '../src/lib/translate.js';

export class LogsCommand extends GuildCommand {
  constructor(context: Command.LoaderContext) {
    super(context, { description: t('command.logs'), forManagers: true });
  }

  override chatInputRun(interaction: Command.ChatInputCommandInteraction) {
    return answer(interaction, async () => {
      const { guild } = await enterAsTeam(interaction, 'viewer');
      const { options } = interaction;
      return logsPage(guild, { action: options.getString('action'), memberId: options.getUser('member')?.id ?? null });
    });
  }

  override autocompleteRun(interaction: Command.AutocompleteInteraction) {
    return suggest(interaction, suggestActions);
  }

  protected override addOptions(command: SlashCommandBuilder) {
    command
      .addStringOption((action) =>
        action.setName('action').setDescription(t('option.logs_action')).setAutocomplete(true),
      )
      .addUserOption((member) => member.setName('member').setDescription(t('option.logs_member')));
  }
}
