import type { Listener } from '@sapphire/framework';
import type { ButtonInteraction } from 'discord.js';
import { enterAsMember } from '../src/edges/interactions/command-access.js';
import { ButtonListener } from '../src/edges/interactions/component-listener.js';
import { inGuildLanguage } from '../src/edges/interactions/guild-language.js';
import { usernameForm } from '../src/edges/interactions/reply-verification.js';

/** "Use a profile code" and "Another username": asks for the Roblox username. */
export class PressProfileCode extends ButtonListener {
  constructor(context: Listener.LoaderContext) {
    super(context, 'profile-code');
  }

  protected override async serve(interaction: ButtonInteraction, [token]: string[]) {
    await enterAsMember(interaction);
    await inGuildLanguage(interaction, () => interaction.showModal(usernameForm(token)));
  }
}
