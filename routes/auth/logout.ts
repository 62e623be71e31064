import { sessionCookie } from '../../src/core/auth/session-cookie.js';
import { signOut } from '../../src/core/auth/sign-in.js';
import { person } from '../../src/edges/http/access.js';
import { noContent } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';

export const Logout = defineRoute({
  endpoint: 'POST /api/auth/logout',
  summary: 'Sign out: ends the session immediately',
  access: person,
  answers: { 204: null },
  handle: async ({ actor }) => {
    await signOut(actor);
    return noContent([sessionCookie('')]);
  },
});
