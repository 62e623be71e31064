import { z } from 'zod';
import { signedIn } from '../../src/edges/http/access.js';
import { noContent } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { unlinkAccount } from '../../src/features/accounts/account-service.js';
import { personToUnlink } from '../../src/features/verification/verification-access.js';
import { gameId, snowflake } from '../../src/lib/ids.js';

export const UnlinkAccount = defineRoute({
  endpoint: 'DELETE /api/verification/unlink',
  summary: "Remove one's account, which unlinks every guild; a platform token names the person",
  access: signedIn,
  lane: 'press',
  input: {
    query: z.strictObject({
      chatUserId: snowflake.optional(),
      gameUserId: gameId.optional().describe('Only this Roblox account is removed.'),
    }),
  },
  answers: { 204: null },
  refusals: ['not_linked'],
  rateLimit: 'verification',
  personOf: ({ query }) => query.chatUserId ?? null,
  handle: async ({ actor, query }) => {
    const chatUserId = personToUnlink(actor, query.chatUserId);
    await unlinkAccount(chatUserId, actor, actor.kind === 'user' ? 'self' : 'admin', query.gameUserId);
    return noContent();
  },
});
