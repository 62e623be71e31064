import { Events, Listener } from '@sapphire/framework';
import type { Interaction } from 'discord.js';
import { parseComponentId } from '../src/edges/interactions/component-id.js';
import { ComponentListener } from '../src/edges/interactions/component-listener.js';
import { inGuildLanguage } from '../src/edges/interactions/guild-language.js';
import { say } from '../src/edges/interactions/reply.js';
import { send } from '../src/edges/interactions/reply-answer.js';
import { t } from '../src/lib/translate.js';

/** A button or form that no listener knows, of a message from another time. */
export class PressUnknown extends Listener<typeof Events.InteractionCreate> {
  constructor(context: Listener.LoaderContext) {
    super(context, { event: Events.InteractionCreate });
  }

  override async run(interaction: Interaction) {
    if (!interaction.isMessageComponent() && !interaction.isModalSubmit()) return;
    const { name } = parseComponentId(interaction.customId);
    const known = this.store.some((listener) => listener instanceof ComponentListener && listener.component === name);
    if (known) return;
    await inGuildLanguage(interaction, () => send(interaction, say(t('error.unknown_component'))));
  }
}
