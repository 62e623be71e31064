import { sessionCookie } from '../../src/core/auth/session-cookie.js';
import { person } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { eraseMe } from '../../src/features/privacy/erasure.js';

export class EraseMe extends Route {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'DELETE /api/auth/me',
      summary: 'Erase all that is stored about the caller; they are signed out at once, and the rest follows by itself',
      access: person,
      answers: { 202: null },
    });
  }

  override async handle({ actor }: Request) {
    await eraseMe(actor);
    return { status: 202, cookies: [sessionCookie('')] };
  }
}
