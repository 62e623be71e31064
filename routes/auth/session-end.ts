import { endOwnSession } from '../../src/core/auth/sign-in.js';
import { person } from '../../src/edges/http/access.js';
import { noContent } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';

export const EndSession = defineRoute({
  endpoint: 'DELETE /api/auth/me/sessions/:sessionId',
  summary: 'End one session of the caller, such as that of a lost phone',
  access: person,
  answers: { 204: null },
  handle: async ({ actor, params }) => {
    await endOwnSession(actor, params.sessionId);
    return noContent();
  },
});
