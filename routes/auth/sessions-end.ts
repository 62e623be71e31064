import { signOutEverywhere } from '../../src/core/auth/sign-in.js';
import { person } from '../../src/edges/http/access.js';
import { noContent } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';

export const EndOtherSessions = defineRoute({
  endpoint: 'DELETE /api/auth/me/sessions',
  summary: 'End all other sessions of the caller',
  access: person,
  answers: { 204: null },
  handle: async ({ actor }) => {
    await signOutEverywhere(actor, 'this');
    return noContent();
  },
});
