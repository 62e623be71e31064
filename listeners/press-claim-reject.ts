import { directButton } from '../src/edges/interactions/press.js';
import { say } from '../src/edges/interactions/replies/reply.js';
import { rejectClaim } from '../src/features/verification/claim-answers.js';
import { t } from '../src/lib/translate.js';

/** "That is not me": nothing is linked. */
export const PressClaimReject = directButton(
  'claim-reject',
  async ({ actor, state: [token = '', method = '', gameUserId = ''] }) => {
    await rejectClaim(token, actor, { gameUserId, method });
    return say(t('claim.rejected'));
  },
);
