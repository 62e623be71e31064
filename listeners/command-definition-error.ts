import { type Command, Events, Listener } from '@sapphire/framework';
import { logger } from '../src/lib/logger.js';

/** A command is defined in a way that Discord does not allow. */
export class CommandDefinitionError extends Listener<typeof Events.CommandApplicationCommandRegistryError> {
  constructor(context: Listener.LoaderContext) {
    super(context, { event: Events.CommandApplicationCommandRegistryError });
  }

  override run(error: unknown, command: Command) {
    logger.error({ err: error, command: command.name }, 'A command could not be defined');
  }
}
