import { z } from 'zod';
import { proofMethod } from '../../src/core/settings/guild-settings.js';
import { person } from '../../src/edges/http/access.js';
import { answerVerifyPage, thenVerifyPage } from '../../src/edges/http/pages/verify-page-answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { accountUse } from '../../src/features/accounts/account-use.js';
import { chooseUse, confirmClaim, rejectClaim } from '../../src/features/verification/claim-answers.js';
import { completeByConnection } from '../../src/features/verification/connection-proof.js';
import { completeByProfile, retryVerification } from '../../src/features/verification/verification-service.js';
import { InvalidRequest } from '../../src/lib/errors.js';
import { t } from '../../src/lib/translate.js';

const shownClaim = { gameUserId: z.string().max(20), method: proofMethod };

export const SubmitVerifyPage = defineRoute({
  endpoint: 'POST /verify/:token',
  summary: 'The forms of the page on which a person verifies',
  access: person,
  lane: 'press',
  input: {
    body: z.discriminatedUnion('action', [
      z.strictObject({ action: z.literal('complete'), gameUsername: z.string().max(100) }),
      z.strictObject({ action: z.literal('confirm'), ...shownClaim }),
      z.strictObject({ action: z.literal('reject'), ...shownClaim }),
      z.strictObject({ action: z.literal('choose'), gameUserId: z.string().max(20) }),
      z.strictObject({ action: z.literal('use'), gameUserId: z.string().max(20), use: accountUse }),
      z.strictObject({ action: z.literal('retry'), method: proofMethod.optional() }),
    ]),
  },
  answers: { 303: null, 400: 'text/html', 503: 'text/html' },
  rateLimit: 'verification',
  page: true,
  handle: async ({ actor, params: { token }, body }) => {
    try {
      return await thenVerifyPage(token, actor, () => {
        if (body.action === 'confirm') return confirmClaim(token, actor, body);
        if (body.action === 'reject') return rejectClaim(token, actor, body);
        if (body.action === 'use') return chooseUse(token, actor, body);
        if (body.action === 'choose') return completeByConnection(token, body.gameUserId, actor);
        return body.action === 'retry'
          ? retryVerification(token, body.method, actor)
          : completeByProfile(token, body.gameUsername, actor);
      });
    } catch (error) {
      if (!(error instanceof InvalidRequest)) throw error;
      return answerVerifyPage(token, actor, { words: t('page.write_username'), status: 400 });
    }
  },
});
