import { Events } from '@sapphire/framework';
import { replyError } from '../src/edges/interactions/reply-error.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** A slash command threw: says why, or that something went wrong. */
export const CommandError = onEvent(Events.ChatInputCommandError, (error, { interaction }) =>
  replyError(interaction, error),
);
