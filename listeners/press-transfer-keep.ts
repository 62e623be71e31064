import { directButton } from '../src/edges/interactions/press.js';
import { say } from '../src/edges/interactions/replies/reply.js';
import { objectToTransfer } from '../src/features/verification/transfers.js';
import { t } from '../src/lib/translate.js';

/** "Keep it": an account's owner objects to its transfer to another person. */
export const PressTransferKeep = directButton(
  'transfer-keep',
  async ({ actor, state: [sessionId = '', gameUserId] }) => {
    await objectToTransfer(sessionId, gameUserId, actor);
    return say(t('transfer.kept'));
  },
);
