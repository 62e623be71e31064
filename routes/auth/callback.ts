import { z } from 'zod';
import { serializeCookie, sessionCookie } from '../../src/core/auth/session-cookie.js';
import { finishSignIn, signInCookie } from '../../src/core/auth/sign-in.js';
import { open } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { seeOther } from '../../src/lib/answer.js';

/** What Discord sends back: a code, or an error; anything else it adds is passed over. */
const input = {
  query: z.object({
    code: z.string().optional(),
    state: z.string().optional(),
    error: z.string().optional(),
    error_description: z.string().optional(),
  }),
};

export class SignInCallback extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/auth/callback',
      summary: 'Where Discord sends the browser back to after sign-in: starts the session',
      access: open,
      input,
      answers: { 303: null },
      page: true,
    });
  }

  override async handle({ query, cookie }: Request<typeof input>) {
    const answer = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const { sessionId, returnTo } = await finishSignIn(new URLSearchParams(answer), cookie(signInCookie));
    return seeOther(returnTo, [sessionCookie(sessionId), serializeCookie(signInCookie, '', 0)]);
  }
}
