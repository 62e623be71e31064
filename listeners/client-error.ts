import { Events } from '@sapphire/framework';
import { logger } from '../src/lib/logger.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** discord.js reported an internal error. Without a listener, Node.js would end the process. */
export const ClientError = onEvent(Events.Error, (error) => {
  logger.error({ err: error }, 'Discord client failed');
});
