import { z } from 'zod';
import { serializeCookie } from '../../src/core/auth/session-cookie.js';
import { beginSignIn, signInCookie, signInLifeSeconds } from '../../src/core/auth/sign-in.js';
import { open } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { seeOther } from '../../src/lib/answer.js';

const input = { query: z.strictObject({ returnTo: z.string().max(2000).optional() }) };

export class Login extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/auth/login',
      summary: 'Sign in with Discord: sends the browser there, and back to the local path `returnTo`',
      access: open,
      input,
      answers: { 303: null },
    });
  }

  override async handle({ query }: Request<typeof input>) {
    const { url, cookie } = await beginSignIn(query.returnTo);
    return seeOther(url, [serializeCookie(signInCookie, cookie, signInLifeSeconds)]);
  }
}
