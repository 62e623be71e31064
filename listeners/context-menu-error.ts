import { type ContextMenuCommandErrorPayload, Events, Listener } from '@sapphire/framework';
import { replyError } from '../src/edges/interactions/reply-error.js';

/** A command of a context menu threw: says why, or that something went wrong. */
export class ContextMenuError extends Listener<typeof Events.ContextMenuCommandError> {
  constructor(context: Listener.LoaderContext) {
    super(context, { event: Events.ContextMenuCommandError });
  }

  override run(error: unknown, { interaction }: ContextMenuCommandErrorPayload) {
    return replyError(interaction, error);
  }
}
