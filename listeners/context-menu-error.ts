import { Events } from '@sapphire/framework';
import { replyError } from '../src/edges/interactions/replies/reply-error.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** A context menu command threw: the answer gives the reason or reports a fault. */
export const ContextMenuError = onEvent(Events.ContextMenuCommandError, (error, { interaction }) =>
  replyError(interaction, error),
);
