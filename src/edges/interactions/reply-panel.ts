import { recordAudit } from '../../core/audit/audit-service.js';
import { Conflict } from '../../lib/errors.js';
import { currentLocale, t, withLocale } from '../../lib/translate.js';
import { postMessage } from '../../platforms/discord/channel-messages.js';
import { DiscordForbids } from '../../platforms/discord/discord-call.js';
import { say } from './reply.js';
import { verifyButton } from './reply-verification.js';
import type { Visit } from './serve-interaction.js';

/**
 * Posts a message with the Verify button into a channel, in the guild's language; null when Discord didn't say which.
 * Throws Conflict `channel_unknown` then, `missing_permission` when the bot may not write there, ChatPlatformUnavailable.
 */
export async function postPanel({ guild, actor, settings }: Visit, channelId: string | null): Promise<void> {
  if (channelId === null) throw new Conflict('channel_unknown', t('panel.no_channel'));
  const panel = withLocale(settings?.locale ?? currentLocale(), () =>
    say(t('panel.text'), [verifyButton(t('panel.verify'))]),
  );
  try {
    await postMessage(channelId, panel);
  } catch (error) {
    if (!(error instanceof DiscordForbids)) throw error;
    throw new Conflict('missing_permission', t('panel.forbidden'));
  }
  const target = { kind: 'channel', id: channelId };
  await recordAudit({ guildId: guild._id, actor, action: 'panel.posted', target });
}
