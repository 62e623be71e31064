import { z } from 'zod';
import { person } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { answerVerifyPage } from '../../src/edges/http/verify-page-answer.js';

const input = { params: z.strictObject({ token: z.string() }) };

export class ShowVerifyPage extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /verify/:token',
      summary: 'The page on which a person verifies',
      access: person,
      input,
      answers: { 200: 'text/html' },
      page: true,
    });
  }

  override handle({ actor, params: { token } }: Request<typeof input>) {
    return answerVerifyPage(token, actor);
  }
}
