import type { Command } from '@sapphire/framework';
import type { SlashCommandBuilder } from 'discord.js';
import { changeSettings } from '../src/core/settings/settings-change.js';
import { readSettings } from '../src/core/settings/settings-service.js';
import { enterAsTeam } from '../src/edges/interactions/command-access.js';
import { GuildCommand } from '../src/edges/interactions/command-in-guild.js';
import { addSettingsOptions, applyOptions } from '../src/edges/interactions/command-settings-options.js';
import type { Reply } from '../src/edges/interactions/reply.js';
import { answer } from '../src/edges/interactions/reply-answer.js';
import { settingsReply } from '../src/edges/interactions/reply-settings.js';
import { suggest, suggestTemplates } from '../src/edges/interactions/suggestions.js';
import { t, withLocale } from '../src/lib/translate.js';

export class SettingsCommand extends GuildCommand {
  constructor(context: Command.LoaderContext) {
    super(context, { description: t('command.settings'), forManagers: true });
  }

  override chatInputRun(interaction: Command.ChatInputCommandInteraction) {
    return answer(interaction, () => this.run(interaction));
  }

  override autocompleteRun(interaction: Command.AutocompleteInteraction) {
    return suggest(interaction, ({ _id }) => suggestTemplates(_id));
  }

  protected override addOptions(command: SlashCommandBuilder) {
    command
      .addSubcommand((view) => view.setName('view').setDescription(t('command.settings_view')))
      .addSubcommand((set) => addSettingsOptions(set.setName('set').setDescription(t('command.settings_set'))));
  }

  private async run(interaction: Command.ChatInputCommandInteraction): Promise<Reply> {
    const { options } = interaction;
    if (options.getSubcommand() === 'view') {
      const { guild } = await enterAsTeam(interaction, 'viewer');
      return settingsReply(guild, await readSettings(guild._id));
    }
    const { guild, actor } = await enterAsTeam(interaction, 'admin');
    const { settings } = await changeSettings(guild, actor, (current) => applyOptions(options, current));
    // The language may be what has changed.
    return withLocale(settings.locale, () => settingsReply(guild, settings, 'settings.changed'));
  }
}
