import type { SlashCommandSubcommandBuilder } from 'discord.js';
import { changeSettings } from '../../../core/settings/settings-change.js';
import { changing } from '../replies/reply-change.js';
import { settingsReply } from '../replies/reply-settings.js';
import type { CommandUse } from './command-in-guild.js';
import { addSettingsOptions, applyOptions, type SettingsSubject } from './command-settings-options.js';

/** The /settings subcommand for a subject: it changes the settings named, and leaves the others. */
export const settingsOf = (subject: SettingsSubject) => ({
  as: 'admin' as const,
  options: (command: SlashCommandSubcommandBuilder) => addSettingsOptions(subject, command),
  run: (use: CommandUse) =>
    changing(use, async () => {
      const { guild, actor, options } = use;
      const { settings } = await changeSettings(guild, actor, (current) => applyOptions(options, current));
      return settingsReply(guild, settings, 'settings.changed');
    }),
});
