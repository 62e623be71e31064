import { DiscordAPIError } from 'discord.js';
import { ChatPlatformUnreadable } from '../../../lib/errors.js';
import { DiscordForbids, GoneFromDiscord } from './discord-call.js';

/** 4xx statuses that say nothing about the request itself. */
const saysNothing = [401, 408, 429];

/**
 * Whether Discord answered and refused the request, judged by an error or its causes. Otherwise the outcome is unknown,
 * or the call was not sent.
 */
export function isRefusedByDiscord(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof ChatPlatformUnreadable) return false;
  if (error instanceof DiscordForbids || error instanceof GoneFromDiscord) return true;
  if (error instanceof DiscordAPIError) return error.status < 500 && !saysNothing.includes(error.status);
  return isRefusedByDiscord(error.cause);
}
