import { z } from 'zod';
import { currentPersonView, currentTokenView, viewCurrentUser } from '../../src/auth/current-user-view.js';
import { signedIn } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { type Request, Route } from '../../src/http/route.js';

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
    return ok(await viewCurrentUser(actor));
  }
}
