import { Events } from '@sapphire/framework';
import { inPersonsLanguage } from '../src/edges/interactions/person-language.js';
import { say } from '../src/edges/interactions/reply.js';
import { send } from '../src/edges/interactions/reply-answer.js';
import { t } from '../src/lib/translate.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** A slash command that Discord still shows and that we no longer have. */
export const CommandUnknown = onEvent(Events.UnknownChatInputCommand, ({ interaction }) =>
  inPersonsLanguage(interaction, () => send(interaction, say(t('error.unknown_command')))),
);
