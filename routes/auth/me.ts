import { z } from 'zod';
import { signedIn } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { readCurrentPerson } from '../../src/features/overview/current-person.js';
import {
  currentPersonView,
  currentTokenView,
  viewCurrentPerson,
  viewCurrentToken,
} from '../../src/features/overview/current-user-view.js';
import { ok } from '../../src/lib/answer.js';

export class Me extends Route {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/auth/me',
      summary: 'Who the caller is: a person with their linked account and their invitations, or a bot token',
      access: signedIn,
      answers: { 200: z.union([currentPersonView, currentTokenView]) },
    });
  }

  override async handle({ actor }: Request) {
    if (actor.kind === 'bot_token') return ok(viewCurrentToken(actor));
    return ok(viewCurrentPerson(actor, await readCurrentPerson(actor.id)));
  }
}
