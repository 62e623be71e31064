import { z } from 'zod';
import { chatUser } from '../../src/core/actors/actor.js';
import { sessionCookie } from '../../src/core/auth/session-cookie.js';
import { answeredBefore, finishSignIn, startSignedIn } from '../../src/core/auth/sign-in.js';
import { signInCookieName } from '../../src/core/auth/sign-ins-under-way.js';
import { open } from '../../src/edges/http/access.js';
import { seeOther } from '../../src/edges/http/answer.js';
import { afterConnecting } from '../../src/edges/http/pages/verify-page-answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { connectLinkedRole } from '../../src/features/linked-roles/linked-role-service.js';

export const SignInCallback = defineRoute({
  endpoint: 'GET /api/auth/callback',
  summary: 'Where Discord sends the browser back to after sign-in: starts the session',
  access: open,
  // It may complete a verification by a connected account.
  lane: 'press',
  // Discord's redirect parameters: a code or an error. Additional parameters are ignored.
  input: {
    headers: z.object({ 'user-agent': z.string().optional() }),
    query: z.object({
      code: z.string().optional(),
      state: z.string().optional(),
      error: z.string().optional(),
      error_description: z.string().optional(),
    }),
  },
  answers: { 303: null, 503: 'text/html' },
  page: true,
  handle: async ({ query, headers, cookie }) => {
    const returnTo = await answeredBefore(query.state, cookie);
    if (returnTo !== null) return seeOther(returnTo);
    const answer = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const signedIn = await finishSignIn(new URLSearchParams(answer), cookie(signInCookieName()));
    const { status, ...shown } = (await afterConnecting(signedIn)) ?? seeOther(signedIn.returnTo);
    const { profile, roleTokens } = signedIn;
    if (roleTokens !== null) await connectLinkedRole(chatUser(profile.chatUserId, profile.username), roleTokens);
    const session = await startSignedIn(signedIn, headers['user-agent']);
    return { ...shown, status, cookies: [sessionCookie(session), signedIn.cookie] };
  },
});
