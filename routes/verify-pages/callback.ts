import { z } from 'zod';
import { person } from '../../src/edges/http/access.js';
import { thenVerifyPage } from '../../src/edges/http/pages/verify-page-answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { findReturningToken } from '../../src/features/verification/verification-access.js';
import { completeByOAuth } from '../../src/features/verification/verification-service.js';

export const VerifyCallback = defineRoute({
  endpoint: 'GET /verify/callback',
  summary: 'Where Roblox sends the browser back to: completes the verification of the person signed in',
  access: person,
  lane: 'press',
  // Roblox's redirect parameters: a code or an error. Additional parameters are ignored.
  input: {
    query: z.object({
      state: z.string().max(500).default(''),
      code: z.string().max(4096).optional(),
      error: z.string().max(200).default('invalid_request'),
    }),
  },
  answers: { 303: null, 503: 'text/html' },
  rateLimit: 'verification',
  page: true,
  handle: async ({ actor, query: { state, code, error } }) => {
    const token = await findReturningToken(state, actor);
    const answer = code === undefined ? { state, error } : { state, code };
    return thenVerifyPage(token, actor, () => completeByOAuth(token, answer, actor));
  },
});
