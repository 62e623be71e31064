import { directButton } from '../src/edges/interactions/press.js';
import { chosenReply } from '../src/edges/interactions/replies/reply-verification.js';
import { chooseUse } from '../src/features/verification/claim-answers.js';

/** A proved account's use beside the person's others, chosen in a server or in a direct message (VER-35). */
export const PressAccountUse = directButton(
  'account-use',
  async ({ actor, guildId, state: [token = '', gameUserId = '', use = ''] }) =>
    chosenReply(await chooseUse(token, actor, { gameUserId, use }), { token, actor, guildId }),
);
