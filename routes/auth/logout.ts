import { sessionCookie } from '../../src/core/auth/session-cookie.js';
import { signOut } from '../../src/core/auth/sign-in.js';
import { person } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { noContent } from '../../src/lib/answer.js';

export class Logout extends Route {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'POST /api/auth/logout',
      summary: 'Sign out: ends the session at once',
      access: person,
      answers: { 204: null },
    });
  }

  override async handle({ actor }: Request) {
    await signOut(actor);
    return noContent([sessionCookie('')]);
  }
}
