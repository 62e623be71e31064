import { type ChatInputCommandErrorPayload, Events, Listener } from '@sapphire/framework';
import { replyError } from '../src/edges/interactions/reply-error.js';

/** A slash command threw: says why, or that something went wrong. */
export class CommandError extends Listener<typeof Events.ChatInputCommandError> {
  constructor(context: Listener.LoaderContext) {
    super(context, { event: Events.ChatInputCommandError });
  }

  override run(error: unknown, { interaction }: ChatInputCommandErrorPayload) {
    return replyError(interaction, error);
  }
}
