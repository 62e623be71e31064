import { sessionCookie } from '../../src/core/auth/session-cookie.js';
import { person } from '../../src/edges/http/access.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { erasePerson } from '../../src/features/privacy/erasure.js';

export const EraseMe = defineRoute({
  endpoint: 'DELETE /api/auth/me',
  summary:
    'Erase everything stored about the caller; they are signed out immediately, and the rest follows automatically',
  access: person,
  answers: { 202: null },
  handle: async ({ actor }) => {
    await erasePerson(actor.id, actor.name);
    return { status: 202, cookies: [sessionCookie('')] };
  },
});
