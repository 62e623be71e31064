import { Events, Listener } from '@sapphire/framework';
import { logger } from '../src/lib/logger.js';

/** discord.js failed inside. Without a listener Node.js would end the process. */
export class ClientError extends Listener<typeof Events.Error> {
  constructor(context: Listener.LoaderContext) {
    super(context, { event: Events.Error });
  }

  override run(error: Error) {
    logger.error({ err: error }, 'The Discord client failed');
  }
}
