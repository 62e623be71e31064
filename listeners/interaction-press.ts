import { Events } from '@sapphire/framework';
import { inPersonsLanguage } from '../src/edges/interactions/person-language.js';
import { dispatchPress } from '../src/edges/interactions/press.js';
import { say } from '../src/edges/interactions/reply.js';
import { send } from '../src/edges/interactions/reply-answer.js';
import { t } from '../src/lib/translate.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** A button was pressed or a form sent: its piece answers, or this where it is of a message from another time. */
export const DispatchPress = onEvent(Events.InteractionCreate, async (interaction) => {
  if (!interaction.isMessageComponent() && !interaction.isModalSubmit()) return;
  if (dispatchPress(interaction)) return;
  await inPersonsLanguage(interaction, () => send(interaction, say(t('error.unknown_component'))));
});
