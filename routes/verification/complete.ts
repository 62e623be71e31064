import { z } from 'zod';
import { signedIn } from '../../src/edges/http/access.js';
import { accepted, ok } from '../../src/edges/http/answer.js';
import { useRefusals, verificationRefusals } from '../../src/edges/http/refusals.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { accountUse } from '../../src/features/accounts/account-use.js';
import { completionView, heldView, viewCompletion, viewHeld } from '../../src/features/verification/completion-view.js';
import { personOfSession, requireChooser } from '../../src/features/verification/verification-access.js';
import { completeByOAuth, completeByProfile } from '../../src/features/verification/verification-service.js';

const text = (max: number) => z.string().min(1).max(max).optional();
const gameReference = text(100).describe('The Roblox username, the address of the profile, or its id as `#123`');
export const CompleteVerification = defineRoute({
  endpoint: 'POST /api/verification/complete',
  summary:
    'Submit a proof. A failed one answers 422 with its reason; 503 when Roblox is down, and 202 if someone must approve first',
  access: signedIn,
  lane: 'press',
  input: {
    body: z
      .strictObject({
        token: z.string().min(1).max(100),
        gameUsername: gameReference,
        code: text(4096),
        state: text(500),
        use: accountUse.optional().describe("The use; left out, the person is asked. A guild's token gives none."),
      })
      .superRefine(({ gameUsername, code, state }, context) => {
        const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
        if (code === undefined && state !== undefined) refuse('code', 'is required beside `state`');
        if (code !== undefined && state === undefined) refuse('state', 'is required beside `code`');
        if (code !== undefined && gameUsername !== undefined) refuse('gameUsername', 'does not belong beside `code`');
      }),
  },
  answers: { 200: completionView, 202: heldView },
  refusals: [
    ...verificationRefusals,
    ...useRefusals,
    'session_not_found',
    'verification_failed',
    'already_completed',
    'proof_in_progress',
    'awaiting_confirmation',
    'awaiting_transfer',
    'retry_needed',
    'session_expired',
    'account_transferred',
  ],
  rateLimit: 'verification',
  personOf: ({ body, actor }) => personOfSession(body.token, actor),
  handle: async ({ actor, body: { token, gameUsername, code, state, use } }) => {
    requireChooser(actor, use);
    const completion =
      code !== undefined && state !== undefined
        ? await completeByOAuth(token, { code, state }, actor, { use })
        : await completeByProfile(token, gameUsername, actor, { use });
    const { account } = completion;
    return account === null ? accepted(viewHeld(completion, token)) : ok(viewCompletion(completion, account, token));
  },
});
