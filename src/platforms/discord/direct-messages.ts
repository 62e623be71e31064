import { randomUUID } from 'node:crypto';
import { type APIDMChannel, Routes } from 'discord.js';
import { AppError } from '../../lib/errors.js';
import { logger } from '../../lib/logger.js';
import { postMessage } from './channel-messages.js';
import { callDiscord } from './discord-call.js';

/**
 * Writes a direct message to a person, in Markdown and at most 2,000 characters, and says whether it arrived. It does
 * not when they take none from the bot, share no server with it, or Discord does not answer; that is not thrown.
 */
export async function sendDirectMessage(chatUserId: string, content: string): Promise<boolean> {
  // Sent again after a time-out, a message with the same nonce is not written twice. It has 25 characters at most.
  const nonce = randomUUID().slice(0, 23);
  try {
    const recipient = { recipient_id: chatUserId };
    const { id } = await callDiscord<APIDMChannel>((rest) => rest.post(Routes.userChannels(), { body: recipient }));
    await postMessage(id, { content, nonce, enforce_nonce: true });
    return true;
  } catch (error) {
    logger[error instanceof AppError ? 'info' : 'warn']({ err: error, chatUserId }, 'direct message not delivered');
    return false;
  }
}
