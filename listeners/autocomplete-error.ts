import { Events } from '@sapphire/framework';
import { isAnsweredElsewhere } from '../src/edges/interactions/answered-elsewhere.js';
import { AppError } from '../src/lib/errors.js';
import { logger, withLogContext } from '../src/lib/logger.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** An error while making suggestions, or a person without access: the answer is empty. */
export const AutocompleteError = onEvent(Events.CommandAutocompleteInteractionError, async (error, { interaction }) => {
  await withLogContext({ interactionId: interaction.id }, async () => {
    if (isAnsweredElsewhere(error)) return;
    if (!(error instanceof AppError)) logger.error({ err: error }, 'autocomplete failed');
    if (!interaction.responded) await interaction.respond([]);
  });
});
