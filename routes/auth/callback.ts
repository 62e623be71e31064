import { z } from 'zod';
import { sessionCookie } from '../../src/core/auth/session-cookie.js';
import { finishSignIn, signInCookie, signInCookieName } from '../../src/core/auth/sign-in.js';
import { open } from '../../src/edges/http/access.js';
import { seeOther } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';

export const SignInCallback = defineRoute({
  endpoint: 'GET /api/auth/callback',
  summary: 'Where Discord sends the browser back to after sign-in: starts the session',
  access: open,
  // What Discord sends back: a code, or an error; anything else it adds is passed over.
  input: {
    query: z.object({
      code: z.string().optional(),
      state: z.string().optional(),
      error: z.string().optional(),
      error_description: z.string().optional(),
    }),
  },
  answers: { 303: null },
  page: true,
  handle: async ({ query, cookie }) => {
    const answer = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const { sessionId, returnTo } = await finishSignIn(new URLSearchParams(answer), cookie(signInCookieName()));
    return seeOther(returnTo, [sessionCookie(sessionId), signInCookie('')]);
  },
});
