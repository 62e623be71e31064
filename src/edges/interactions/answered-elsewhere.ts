import { DiscordAPIError, RESTJSONErrorCodes } from 'discord.js';
import { logger } from '../../lib/logger.js';

const causes: ReadonlyMap<unknown, string> = new Map([
  [
    RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
    'Another process with the same bot token answered this interaction. Run the bot once, or give each process its SHARDS.',
  ],
  [
    RESTJSONErrorCodes.UnknownInteraction,
    'Discord no longer takes an answer to this interaction. It came too late, or another process with the same bot token answered.',
  ],
]);

/** If Discord no longer accepts an answer to an interaction, logs that in one line and returns true. */
export function isAnsweredElsewhere(error: unknown): boolean {
  const says = error instanceof DiscordAPIError ? causes.get(error.code) : undefined;
  if (says === undefined) return false;
  logger.warn({ code: Reflect.get(Object(error), 'code') }, says);
  return true;
}
