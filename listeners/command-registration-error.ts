import { Events } from '@sapphire/framework';
import { logger } from '../src/lib/logger.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** Discord did not take the commands: it goes on showing those of before. */
export const CommandRegistrationError = onEvent(Events.ApplicationCommandRegistriesBulkOverwriteError, (error) => {
  logger.error({ err: error }, 'The commands could not be registered');
});
