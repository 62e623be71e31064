import { Events } from '@sapphire/framework';
import { registerLater } from '../src/edges/interactions/command-registration.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** Discord did not take the commands: it goes on showing those of before, until they are registered again. */
export const CommandRegistrationError = onEvent(Events.ApplicationCommandRegistriesBulkOverwriteError, (error) =>
  registerLater(error),
);
