import { button } from '../src/edges/interactions/press.js';
import { typedReply } from '../src/edges/interactions/reply-verification.js';
import { readVerification } from '../src/features/verification/verification-service.js';

/** "I've typed it", under a code for a game: the question whether the account is theirs, also where direct messages are off. */
export const PressGameCodeTyped = button(
  'game-code-typed',
  { as: 'member' },
  async ({ guild, actor, state: [token = ''] }) => typedReply(await readVerification(token, actor), token, guild.name),
);
