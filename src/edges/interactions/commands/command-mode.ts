import type { SlashCommandSubcommandBuilder } from 'discord.js';
import { guildSettings } from '../../../core/settings/guild-settings.js';
import { changeSettings } from '../../../core/settings/settings-change.js';
import { t } from '../../../lib/translate.js';
import type { Reply } from '../replies/reply.js';
import { changing } from '../replies/reply-change.js';
import { settingsReply } from '../replies/reply-settings.js';
import type { CommandUse } from './command-in-guild.js';

const { mode } = guildSettings.shape;

export function addModeOption(command: SlashCommandSubcommandBuilder): void {
  command.addStringOption((option) =>
    option
      .setName('mode')
      .setDescription(t('option.mode'))
      .setRequired(true)
      .addChoices(mode.options.map((value) => ({ name: t(`option.mode.${value}`), value }))),
  );
}

/** Chooses whether members are changed, or only observed. Throws as `changeSettings` does. */
export function changeMode(use: CommandUse): Promise<Reply> {
  return changing(use, async () => {
    const wished = mode.parse(use.options.getString('mode', true));
    const { settings } = await changeSettings(use.guild, use.actor, (current) => ({ ...current, mode: wished }));
    return settingsReply(use.guild, settings, 'settings.changed');
  });
}
