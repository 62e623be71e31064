import type { Listener } from '@sapphire/framework';
import type { ButtonInteraction } from 'discord.js';
import { enterAsMember } from '../src/edges/interactions/command-access.js';
import { knownGuild } from '../src/edges/interactions/command-verify.js';
import { ButtonListener } from '../src/edges/interactions/component-listener.js';
import { answer } from '../src/edges/interactions/reply-answer.js';
import { failedReply, linkedReply } from '../src/edges/interactions/reply-verification.js';
import { completeByProfile } from '../src/features/verification/verification-service.js';

/** "I've added it": looks for the words in the Roblox profile and links its account. */
export class PressProfileDone extends ButtonListener {
  constructor(context: Listener.LoaderContext) {
    super(context, 'profile-done');
  }

  protected override serve(interaction: ButtonInteraction, [token = '', ...name]: string[]) {
    return answer(interaction, async (settings) => {
      const { guild, actor } = await enterAsMember(interaction);
      const gameUsername = name.join(':');
      try {
        return await linkedReply(
          guild._id,
          await completeByProfile(token, gameUsername, actor, knownGuild(guild, settings)),
        );
      } catch (error) {
        return failedReply(error, token, gameUsername);
      }
    });
  }
}
