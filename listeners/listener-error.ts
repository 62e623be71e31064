import { Events, Listener, type ListenerErrorPayload } from '@sapphire/framework';
import { logger } from '../src/lib/logger.js';

/** A listener threw: nobody is there to be told, so the log is. */
export class ListenerError extends Listener<typeof Events.ListenerError> {
  constructor(context: Listener.LoaderContext) {
    super(context, { event: Events.ListenerError });
  }

  override run(error: unknown, { piece }: ListenerErrorPayload) {
    logger.error({ err: error, listener: piece.name }, 'A listener failed');
  }
}
