import { recordAudit } from '../../core/audit/audit-service.js';
import { Forbidden } from '../../lib/errors.js';
import { t } from '../../lib/translate.js';
import { postMessage } from '../../platforms/discord/channel-messages.js';
import { DiscordForbids } from '../../platforms/discord/discord-call.js';
import type { Entrance } from './command-access.js';
import { say } from './reply.js';
import { verifyButton } from './reply-verification.js';

/**
 * Posts a message with the Verify button into a channel. Throws Forbidden when the bot may not write there,
 * ChatPlatformUnavailable.
 */
export async function postPanel({ guild, actor }: Entrance, channelId: string): Promise<void> {
  const panel = say(t('panel.text'), [verifyButton(t('panel.verify'))]);
  try {
    await postMessage(channelId, panel);
  } catch (error) {
    if (!(error instanceof DiscordForbids)) throw error;
    throw new Forbidden('missing_permission', t('panel.forbidden'));
  }
  const target = { kind: 'channel', id: channelId };
  await recordAudit({ guildId: guild._id, actor, action: 'panel.posted', target });
}
