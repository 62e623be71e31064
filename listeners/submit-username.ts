import { knownGuild, offerNewPhrase } from '../src/edges/interactions/commands/command-verify.js';
import { form } from '../src/edges/interactions/press.js';
import { phraseOffer } from '../src/edges/interactions/replies/reply-verification.js';
import { createVerification } from '../src/features/verification/verification-service.js';
import { shortGameUserReference } from '../src/platforms/roblox/game-user-search.js';

/** The Roblox username was sent: shows the words for its profile, in the current session or a new one. */
export const SubmitUsername = form(
  'username',
  { as: 'member' },
  async ({ guild, actor, settings, interaction, state: [known] }) => {
    const gameUsername = shortGameUserReference(interaction.fields.getTextInputValue('username'));
    if (known !== undefined) return offerNewPhrase(known, gameUsername, actor);
    const wish = { guildId: guild._id, chatUserId: actor.id, method: 'profile_code' } as const;
    const { session, token } = await createVerification(wish, actor, knownGuild(guild, settings));
    return phraseOffer(session, token, gameUsername);
  },
);
