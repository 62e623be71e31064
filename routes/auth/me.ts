import { z } from 'zod';
import { signedIn } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { readCurrentPerson } from '../../src/features/me/current-person.js';
import {
  currentPersonView,
  currentTokenView,
  viewCurrentPerson,
  viewCurrentToken,
} from '../../src/features/me/current-user-view.js';

export const Me = defineRoute({
  endpoint: 'GET /api/auth/me',
  summary: 'The caller: a person with their linked account and invitations, or a bot token',
  access: signedIn,
  answers: { 200: z.discriminatedUnion('kind', [currentPersonView, currentTokenView]) },
  handle: async ({ actor }) =>
    ok(
      actor.kind === 'bot_token'
        ? viewCurrentToken(actor)
        : viewCurrentPerson(actor, await readCurrentPerson(actor.id)),
    ),
});
