import { Events, Listener, type UnknownChatInputCommandPayload } from '@sapphire/framework';
import { inGuildLanguage } from '../src/edges/interactions/guild-language.js';
import { say } from '../src/edges/interactions/reply.js';
import { send } from '../src/edges/interactions/reply-answer.js';
import { t } from '../src/lib/translate.js';

/** A slash command that Discord still shows and that we no longer have. */
export class CommandUnknown extends Listener<typeof Events.UnknownChatInputCommand> {
  constructor(context: Listener.LoaderContext) {
    super(context, { event: Events.UnknownChatInputCommand });
  }

  override run({ interaction }: UnknownChatInputCommandPayload) {
    return inGuildLanguage(interaction, () => send(interaction, say(t('error.unknown_command'))));
  }
}
