import { person } from '../../src/edges/http/access.js';
import { noContent } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { unlinkAccount } from '../../src/features/accounts/account-service.js';

export const RemoveOwnAccount = defineRoute({
  endpoint: 'DELETE /api/auth/me/accounts/:gameUserId',
  summary: "Remove one of the caller's accounts, which unlinks them in the servers that chose it",
  access: person,
  answers: { 204: null },
  refusals: ['not_linked'],
  rateLimit: 'verification',
  handle: async ({ actor, params: { gameUserId } }) => {
    await unlinkAccount(actor.id, actor, 'self', gameUserId);
    return noContent();
  },
});
