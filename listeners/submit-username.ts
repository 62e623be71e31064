import type { Listener } from '@sapphire/framework';
import type { ModalSubmitInteraction } from 'discord.js';
import { enterAsMember } from '../src/edges/interactions/command-access.js';
import { knownGuild, offerNewPhrase } from '../src/edges/interactions/command-verify.js';
import { FormListener } from '../src/edges/interactions/component-listener.js';
import { answer } from '../src/edges/interactions/reply-answer.js';
import { phraseOffer } from '../src/edges/interactions/reply-verification.js';
import { createVerification } from '../src/features/verification/verification-service.js';

/** The Roblox username was sent: shows the words for its profile, of the session that goes on or of a new one. */
export class SubmitUsername extends FormListener {
  constructor(context: Listener.LoaderContext) {
    super(context, 'username');
  }

  protected override serve(interaction: ModalSubmitInteraction, [known]: string[]) {
    return answer(interaction, async (settings) => {
      const { guild, actor } = await enterAsMember(interaction);
      const gameUsername = interaction.fields.getTextInputValue('username').trim();
      if (known !== undefined) return offerNewPhrase(known, gameUsername, actor);
      const wish = { guildId: guild._id, chatUserId: actor.id, method: 'profile_code' } as const;
      const { session, token } = await createVerification(wish, actor, knownGuild(guild, settings));
      return phraseOffer(session, token, gameUsername);
    });
  }
}
