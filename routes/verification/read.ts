import { z } from 'zod';
import { signedIn } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { type Request, Route } from '../../src/http/route.js';
import { readVerification } from '../../src/verification/verification-service.js';
import { verificationView, viewVerification } from '../../src/verification/verification-view.js';

const input = { params: z.strictObject({ token: z.string() }) };

export class ReadVerification extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/verification/session/:token',
      summary: 'A verification session: for its own person, or a bot token of its guild',
      access: signedIn,
      input,
      answers: { 200: verificationView },
    });
  }

  override async handle({ actor, params: { token } }: Request<typeof input>) {
    return ok(viewVerification(await readVerification(token, actor), token));
  }
}
