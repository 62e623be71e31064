import { Routes } from 'discord.js';
import { callDiscord, DiscordForbids } from '../discord/discord-call.js';
import { Forbidden } from '../lib/errors.js';
import { t } from '../locales/translate.js';
import { say } from './reply.js';
import { verifyButton } from './reply-verification.js';

/**
 * Posts a message with the Verify button into a channel. Throws Forbidden when the bot may not write there,
 * ChatPlatformUnavailable.
 */
export async function postPanel(channelId: string): Promise<void> {
  const panel = say(t('panel.text'), [verifyButton(t('panel.verify'))]);
  try {
    await callDiscord((rest) => rest.post(Routes.channelMessages(channelId), { body: panel }));
  } catch (error) {
    if (!(error instanceof DiscordForbids)) throw error;
    throw new Forbidden('missing_permission', t('panel.forbidden'));
  }
}
