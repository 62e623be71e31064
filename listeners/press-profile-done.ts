import { knownGuild } from '../src/edges/interactions/commands/command-verify.js';
import { button } from '../src/edges/interactions/press.js';
import { failedReply, linkedReply } from '../src/edges/interactions/replies/reply-verification.js';
import { completeByProfile } from '../src/features/verification/verification-service.js';

/** "I've added it": checks the Roblox profile for the words and links its account. */
export const PressProfileDone = button(
  'profile-done',
  { as: 'member' },
  async ({ guild, actor, settings, state: [token = '', ...name] }) => {
    const gameUsername = name.join(':');
    try {
      return await linkedReply(
        { guild, actor },
        await completeByProfile(token, gameUsername, actor, { known: knownGuild(guild, settings) }),
        token,
      );
    } catch (error) {
      return failedReply(error, token, gameUsername);
    }
  },
);
