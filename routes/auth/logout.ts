import { sessionCookie } from '../../src/auth/session-cookie.js';
import { signOut } from '../../src/auth/sign-in.js';
import { person } from '../../src/http/access.js';
import { noContent } from '../../src/http/answer.js';
import { type Request, Route } from '../../src/http/route.js';

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
