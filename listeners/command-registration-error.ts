import { Events } from '@sapphire/framework';
import { registerLater } from '../src/edges/interactions/commands/command-registration.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** Discord did not accept the commands. It shows the previous ones until registration succeeds. */
export const CommandRegistrationError = onEvent(Events.ApplicationCommandRegistriesBulkOverwriteError, (error) =>
  registerLater(error),
);
