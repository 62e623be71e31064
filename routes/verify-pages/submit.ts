import { z } from 'zod';
import { verificationMethod } from '../../src/core/settings/guild-settings.js';
import { person } from '../../src/edges/http/access.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { answerVerifyPage, thenVerifyPage } from '../../src/edges/http/verify-page-answer.js';
import { completeByProfile, retryVerification } from '../../src/features/verification/verification-service.js';
import { InvalidRequest } from '../../src/lib/errors.js';

export const SubmitVerifyPage = defineRoute({
  endpoint: 'POST /verify/:token',
  summary: 'The forms of the page on which a person verifies',
  access: person,
  input: {
    body: z.discriminatedUnion('action', [
      z.strictObject({ action: z.literal('complete'), gameUsername: z.string().max(50) }),
      z.strictObject({ action: z.literal('retry'), method: verificationMethod.optional() }),
    ]),
  },
  answers: { 303: null, 400: 'text/html' },
  rateLimit: 'verification',
  page: true,
  handle: async ({ actor, params: { token }, body }) => {
    try {
      return await thenVerifyPage(token, () =>
        body.action === 'complete'
          ? completeByProfile(token, body.gameUsername, actor)
          : retryVerification(token, body.method, actor),
      );
    } catch (error) {
      if (!(error instanceof InvalidRequest)) throw error;
      return answerVerifyPage(token, actor, 'Write your Roblox username first.');
    }
  },
});
