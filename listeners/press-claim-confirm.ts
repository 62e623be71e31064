import { directButton } from '../src/edges/interactions/press.js';
import { confirmedReply } from '../src/edges/interactions/replies/reply-verification.js';
import { confirmClaim } from '../src/features/verification/claim-answers.js';

/** "Yes, that is me", under the question about a claim by a server's token. */
export const PressClaimConfirm = directButton(
  'claim-confirm',
  async ({ actor, state: [token = '', method = '', gameUserId = ''] }) =>
    confirmedReply(await confirmClaim(token, actor, { gameUserId, method }), token),
);
