import { sessionCookie } from '../../src/core/auth/session-cookie.js';
import { signOutEverywhere } from '../../src/core/auth/sign-in.js';
import { person } from '../../src/edges/http/access.js';
import { noContent } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';

export const LogoutEverywhere = defineRoute({
  endpoint: 'POST /api/auth/logout-everywhere',
  summary: 'Sign out everywhere: ends all sessions of the caller immediately',
  access: person,
  answers: { 204: null },
  handle: async ({ actor }) => {
    await signOutEverywhere(actor);
    return noContent([sessionCookie('')]);
  },
});
