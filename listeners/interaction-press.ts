import { Events } from '@sapphire/framework';
import { pressable } from '../src/edges/interactions/command-mention.js';
import { inPersonsLanguage } from '../src/edges/interactions/person-language.js';
import { dispatchPress } from '../src/edges/interactions/press.js';
import { note } from '../src/edges/interactions/reply.js';
import { send } from '../src/edges/interactions/reply-answer.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** A button was pressed or a form sent: its piece answers, or this where it is of a message from another time. */
export const DispatchPress = onEvent(Events.InteractionCreate, async (interaction) => {
  if (!interaction.isMessageComponent() && !interaction.isModalSubmit()) return;
  if (dispatchPress(interaction)) return;
  await inPersonsLanguage(interaction, () =>
    send(interaction, note('attention', pressable('error.unknown_component'))),
  );
});
