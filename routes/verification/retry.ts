import { z } from 'zod';
import { proofMethod } from '../../src/core/settings/guild-settings.js';
import { signedIn } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { verificationRefusals } from '../../src/edges/http/refusals.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { personOfSession } from '../../src/features/verification/verification-access.js';
import { retryVerification } from '../../src/features/verification/verification-service.js';
import { verificationView, viewVerification } from '../../src/features/verification/verification-view.js';

export const RetryVerification = defineRoute({
  endpoint: 'POST /api/verification/retry',
  summary: 'Restart a session with new words or a new sign-in, or with the other method',
  access: signedIn,
  lane: 'press',
  input: { body: z.strictObject({ token: z.string().min(1).max(100), method: proofMethod.optional() }) },
  answers: { 200: verificationView },
  refusals: [
    ...verificationRefusals,
    'session_not_found',
    'verification_failed',
    'already_completed',
    'proof_in_progress',
    'awaiting_confirmation',
    'awaiting_transfer',
  ],
  rateLimit: 'verification',
  personOf: ({ body, actor }) => personOfSession(body.token, actor),
  handle: async ({ actor, body: { token, method } }) => {
    const { session } = await retryVerification(token, method, actor);
    return ok(viewVerification(session, token));
  },
});
