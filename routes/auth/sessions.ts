import { z } from 'zod';
import { listSessions, sessionView } from '../../src/core/auth/session-service.js';
import { person } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';

export const ListSessions = defineRoute({
  endpoint: 'GET /api/auth/me/sessions',
  summary: 'Where the caller is signed in, newest first',
  access: person,
  answers: { 200: z.strictObject({ data: z.array(sessionView) }) },
  handle: async ({ actor }) => ok({ data: await listSessions(actor) }),
});
