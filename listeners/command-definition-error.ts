import { Events } from '@sapphire/framework';
import { logger } from '../src/lib/logger.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

export const CommandDefinitionError = onEvent(Events.CommandApplicationCommandRegistryError, (error, command) => {
  logger.error({ err: error, command: command.name }, 'command not defined');
});
