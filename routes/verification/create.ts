import { z } from 'zod';
import { proofMethod } from '../../src/core/settings/guild-settings.js';
import { signedIn } from '../../src/edges/http/access.js';
import { created } from '../../src/edges/http/answer.js';
import { verificationRefusals } from '../../src/edges/http/refusals.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { personMeant } from '../../src/features/verification/verification-access.js';
import { createVerification } from '../../src/features/verification/verification-service.js';
import { verificationView, viewVerification } from '../../src/features/verification/verification-view.js';
import { snowflake } from '../../src/lib/ids.js';

export const CreateVerification = defineRoute({
  endpoint: 'POST /api/verification/session',
  summary: 'Start a verification for oneself, or with a bot token for `chatUserId`',
  access: signedIn,
  lane: 'press',
  input: {
    body: z.strictObject({
      guildId: snowflake.optional(),
      method: proofMethod,
      chatUserId: snowflake.optional(),
    }),
  },
  repeatable: true,
  answers: { 201: verificationView },
  refusals: [...verificationRefusals, 'member_not_found', 'gone_from_discord', 'missing_permission', 'busy'],
  rateLimit: 'verification',
  personOf: ({ body }) => body.chatUserId ?? null,
  handle: async ({ actor, body }) => {
    const { guildId = null, method } = body;
    const chatUserId = personMeant(actor, body.chatUserId, 'chatUserId');
    const { session, token } = await createVerification({ guildId, method, chatUserId }, actor);
    return created(viewVerification(session, token), `/api/verification/session/${token}`);
  },
});
