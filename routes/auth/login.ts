import { z } from 'zod';
import { beginSignIn } from '../../src/core/auth/sign-in.js';
import { signInCookieName } from '../../src/core/auth/sign-ins-under-way.js';
import { open } from '../../src/edges/http/access.js';
import { seeOther } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { connectingToken } from '../../src/features/verification/verification-view.js';

export const Login = defineRoute({
  endpoint: 'GET /api/auth/login',
  summary: 'Sign in with Discord: sends the browser there, and back to the local path `returnTo`',
  access: open,
  opened: true,
  input: { query: z.strictObject({ returnTo: z.string().max(2000).optional() }) },
  answers: { 303: null },
  refusals: ['sign_in_not_configured', 'chat_platform_unavailable'],
  handle: async ({ query, cookie: cookies }) => {
    const isConnecting = connectingToken(query.returnTo) !== null;
    const { url, cookie } = await beginSignIn(
      query.returnTo,
      isConnecting ? 'connections' : null,
      cookies(signInCookieName()),
    );
    return seeOther(url, [cookie]);
  },
});
