import { type AutocompleteInteractionPayload, Events, Listener } from '@sapphire/framework';
import { AppError } from '../src/lib/errors.js';
import { logger, withLogContext } from '../src/lib/logger.js';

/** Suggestions could not be made, or are not for this person: there are none. */
export class AutocompleteError extends Listener<typeof Events.CommandAutocompleteInteractionError> {
  constructor(context: Listener.LoaderContext) {
    super(context, { event: Events.CommandAutocompleteInteractionError });
  }

  override async run(error: unknown, { interaction }: AutocompleteInteractionPayload) {
    await withLogContext({ interactionId: interaction.id }, async () => {
      if (!(error instanceof AppError)) logger.error({ err: error }, 'An autocomplete failed');
      if (!interaction.responded) await interaction.respond([]);
    });
  }
}
