import { Events } from '@sapphire/framework';
import { replyError } from '../src/edges/interactions/reply-error.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** A command of a context menu threw: says why, or that something went wrong. */
export const ContextMenuError = onEvent(Events.ContextMenuCommandError, (error, { interaction }) =>
  replyError(interaction, error),
);
