import { ChannelType, type SlashCommandSubcommandBuilder } from 'discord.js';
import { type GuildSettings, guildSettings } from '../../../core/settings/guild-settings.js';
import { changeSettings } from '../../../core/settings/settings-change.js';
import { InvalidRequest } from '../../../lib/errors.js';
import { t } from '../../../lib/translate.js';
import type { Reply } from '../replies/reply.js';
import { changing } from '../replies/reply-change.js';
import { settingsReply } from '../replies/reply-settings.js';
import type { CommandUse } from './command-in-guild.js';
import { limitText } from './command-limits.js';

const { joinMessage } = guildSettings.shape;
const { to, text } = joinMessage.shape;
const joinText = text.unwrap();

export function addJoinOptions(command: SlashCommandSubcommandBuilder): void {
  command
    .addStringOption((option) =>
      option
        .setName('to')
        .setDescription(t('option.join_to'))
        .addChoices(to.options.map((value) => ({ name: t(`option.join_to.${value}`), value }))),
    )
    .addChannelOption((option) =>
      option
        .setName('channel')
        .setDescription(t('option.join_channel'))
        .addChannelTypes(ChannelType.GuildText, ChannelType.GuildAnnouncement),
    )
    .addStringOption((option) => {
      // Placeholders that the option's description shows unfilled, for the person to copy.
      const [member, server] = ['{member}', '{server}'];
      const words = t('option.join_text', { member, server });
      return limitText(option.setName('text').setDescription(words), joinText);
    })
    .addBooleanOption((option) => option.setName('usual_text').setDescription(t('option.join_usual_text')))
    .addBooleanOption((option) => option.setName('wait_for_rules').setDescription(t('option.join_wait_for_rules')));
}

/**
 * Changes the message for new unverified members, and whether roles wait for the rules screen. Omitted options keep
 * their value. Throws as `changeSettings` does.
 */
export function changeJoinMessage(use: CommandUse): Promise<Reply> {
  return changing(use, async () => {
    const change = (settings: GuildSettings) => ({
      ...settings,
      joinMessage: wished(use, settings.joinMessage),
      waitForRules: use.options.getBoolean('wait_for_rules') ?? settings.waitForRules,
    });
    const { settings } = await changeSettings(use.guild, use.actor, change);
    return settingsReply(use.guild, settings, 'settings.changed');
  });
}

function wished({ options }: CommandUse, current: GuildSettings['joinMessage']): GuildSettings['joinMessage'] {
  const channelId = options.getChannel('channel')?.id ?? current.channelId;
  const isUsual = options.getBoolean('usual_text') ?? false;
  const text = isUsual ? null : (options.getString('text') ?? current.text);
  // A channel without `to` means that the message goes to that channel.
  const place = options.getString('to') ?? (options.getChannel('channel') === null ? current.to : 'channel');
  const parsed = joinMessage.safeParse({ to: place, channelId, text });
  if (parsed.success) return parsed.data;
  throw new InvalidRequest(parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })));
}
