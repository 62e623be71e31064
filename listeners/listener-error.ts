import { Events } from '@sapphire/framework';
import { logger } from '../src/lib/logger.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** A listener threw: nobody is there to be told, so the log is. */
export const ListenerError = onEvent(Events.ListenerError, (error, { piece }) => {
  logger.error({ err: error, listener: piece.name }, 'A listener failed');
});
