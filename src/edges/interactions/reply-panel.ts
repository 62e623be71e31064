import { recordAudit } from '../../core/audit/audit-service.js';
import type { PanelLook } from '../../features/setup/panel-look.js';
import { Conflict } from '../../lib/errors.js';
import { currentLocale, t, withLocale } from '../../lib/translate.js';
import { postMessage } from '../../platforms/discord/channel-messages.js';
import { DiscordForbids } from '../../platforms/discord/discord-call.js';
import { type Reply, say } from './reply.js';
import { verifyButton } from './reply-verification.js';
import type { Visit } from './serve-interaction.js';

/**
 * Posts a message with the Verify button into a channel, in the guild's language; null when Discord didn't say which.
 * Throws Conflict `channel_unknown` then, `missing_permission` when the bot may not write there, ChatPlatformUnavailable.
 */
export async function postPanel(visit: Visit, channelId: string | null, look: PanelLook = {}): Promise<void> {
  const { guild, actor, settings } = visit;
  if (channelId === null) throw new Conflict('channel_unknown', t('panel.no_channel'));
  const panel = withLocale(settings?.locale ?? currentLocale(), () => panelOf(look));
  try {
    await postMessage(channelId, panel);
  } catch (error) {
    if (!(error instanceof DiscordForbids)) throw error;
    throw new Conflict('missing_permission', t('panel.forbidden'));
  }
  const target = { kind: 'channel', id: channelId };
  await recordAudit({ guildId: guild._id, actor, action: 'panel.posted', target });
}

/** A panel of the server's own words, which may be Markdown; only one with a colour is an embed. */
function panelOf({
  title = t('panel.title'),
  text = t('panel.text'),
  button = t('panel.verify'),
  color,
}: PanelLook): Reply {
  const { components, content } = say(`**${title}**\n${text}`, [verifyButton(button)]);
  if (color === undefined) return { content, embeds: [], components };
  return { content: '', embeds: [{ title, description: text, color }], components };
}
