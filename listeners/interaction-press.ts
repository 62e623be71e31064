import { Events } from '@sapphire/framework';
import { pressable } from '../src/edges/interactions/commands/command-mention.js';
import { inPersonsLanguage } from '../src/edges/interactions/person-language.js';
import { dispatchPress } from '../src/edges/interactions/press.js';
import { note } from '../src/edges/interactions/replies/reply.js';
import { send } from '../src/edges/interactions/replies/reply-answer.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** A button press or submitted form goes to its piece. This listener answers if the message is too old to have one. */
export const DispatchPress = onEvent(Events.InteractionCreate, async (interaction) => {
  if (!interaction.isMessageComponent() && !interaction.isModalSubmit()) return;
  if (dispatchPress(interaction)) return;
  await inPersonsLanguage(interaction, () =>
    send(interaction, note('attention', pressable('error.unknown_component'))),
  );
});
