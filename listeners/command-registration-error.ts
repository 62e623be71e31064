import { Events, Listener } from '@sapphire/framework';
import { logger } from '../src/lib/logger.js';

/** Discord did not take the commands: it goes on showing those of before. */
export class CommandRegistrationError extends Listener<typeof Events.ApplicationCommandRegistriesBulkOverwriteError> {
  constructor(context: Listener.LoaderContext) {
    super(context, { event: Events.ApplicationCommandRegistriesBulkOverwriteError });
  }

  override run(error: unknown) {
    logger.error({ err: error }, 'The commands could not be registered');
  }
}
