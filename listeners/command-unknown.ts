import { Events } from '@sapphire/framework';
import { pressable } from '../src/edges/interactions/commands/command-mention.js';
import { inPersonsLanguage } from '../src/edges/interactions/person-language.js';
import { note } from '../src/edges/interactions/replies/reply.js';
import { send } from '../src/edges/interactions/replies/reply-answer.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** A slash command that Discord still shows but the bot no longer has. */
export const CommandUnknown = onEvent(Events.UnknownChatInputCommand, ({ interaction }) =>
  inPersonsLanguage(interaction, () => send(interaction, note('attention', pressable('error.unknown_command')))),
);
