import type { Listener } from '@sapphire/framework';
import type { ButtonInteraction } from 'discord.js';
import { enterAsTeam } from '../src/edges/interactions/command-access.js';
import { ButtonListener } from '../src/edges/interactions/component-listener.js';
import { answer } from '../src/edges/interactions/reply-answer.js';
import { mappingsPage } from '../src/edges/interactions/reply-lists.js';
import { readMappingsPicture } from '../src/features/mappings/mappings-picture.js';

/** The next page of /mapping list. */
export class PressMappingsPage extends ButtonListener {
  constructor(context: Listener.LoaderContext) {
    super(context, 'mappings');
  }

  protected override serve(interaction: ButtonInteraction, [cursor]: string[]) {
    return answer(interaction, async () => {
      const { guild } = await enterAsTeam(interaction, 'viewer');
      return mappingsPage(await readMappingsPicture(guild), cursor);
    });
  }
}
