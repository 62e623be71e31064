import { z } from 'zod';
import { person } from '../../src/http/access.js';
import { type Request, Route } from '../../src/http/route.js';
import { answerVerifyPage } from '../../src/verification/verify-page-answer.js';

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
