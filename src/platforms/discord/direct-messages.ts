import { randomUUID } from 'node:crypto';
import { Routes } from 'discord.js';
import { AppError } from '../../lib/errors.js';
import { logger } from '../../lib/logger.js';
import { postMessage } from './channel-messages.js';
import { directChannelAnswer } from './discord-answers.js';
import { readDiscord } from './discord-call.js';

/**
 * Sends a person a direct message, in Markdown and at most 2,000 characters. Returns whether it arrived: it doesn't
 * when the person accepts none from the bot, shares no server with it, or Discord doesn't answer. None of that is
 * thrown.
 */
export async function sendDirectMessage(chatUserId: string, content: string): Promise<boolean> {
  // A message sent again after a time-out with the same nonce is posted once. A nonce has at most 25 characters.
  const nonce = randomUUID().slice(0, 23);
  try {
    const recipient = { recipient_id: chatUserId };
    const { id } = await readDiscord(directChannelAnswer, (rest) =>
      rest.post(Routes.userChannels(), { body: recipient }),
    );
    await postMessage(id, { content, nonce, enforce_nonce: true });
    return true;
  } catch (error) {
    logger[error instanceof AppError ? 'info' : 'warn']({ err: error, chatUserId }, 'direct message not delivered');
    return false;
  }
}
