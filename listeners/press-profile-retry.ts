import type { Listener } from '@sapphire/framework';
import type { ButtonInteraction } from 'discord.js';
import { enterAsMember } from '../src/edges/interactions/command-access.js';
import { offerNewPhrase } from '../src/edges/interactions/command-verify.js';
import { ButtonListener } from '../src/edges/interactions/component-listener.js';
import { answer } from '../src/edges/interactions/reply-answer.js';

/** "Try again" and "New words": shows new words for the same Roblox profile. */
export class PressProfileRetry extends ButtonListener {
  constructor(context: Listener.LoaderContext) {
    super(context, 'profile-retry');
  }

  protected override serve(interaction: ButtonInteraction, [token = '', ...gameUsername]: string[]) {
    return answer(interaction, async () => {
      const { actor } = await enterAsMember(interaction);
      return offerNewPhrase(token, gameUsername.join(':'), actor);
    });
  }
}
