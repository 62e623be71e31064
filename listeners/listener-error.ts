import { Events } from '@sapphire/framework';
import { isAnsweredElsewhere } from '../src/edges/interactions/answered-elsewhere.js';
import { logger } from '../src/lib/logger.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** A listener threw. There is no person to answer, so the error is logged. */
export const ListenerError = onEvent(Events.ListenerError, (error, { piece }) => {
  if (!isAnsweredElsewhere(error)) logger.error({ err: error, listener: piece.name }, 'listener failed');
});
