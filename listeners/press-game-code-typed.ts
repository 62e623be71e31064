import { button } from '../src/edges/interactions/press.js';
import { typedReply } from '../src/edges/interactions/replies/reply-verification.js';
import { readVerification } from '../src/features/verification/verification-service.js';

/** "I've typed it", under a game code: asks whether the account is theirs, even if direct messages are off. */
export const PressGameCodeTyped = button(
  'game-code-typed',
  { as: 'member' },
  async ({ guild, actor, state: [token = ''] }) => typedReply(await readVerification(token, actor), token, guild.name),
);
