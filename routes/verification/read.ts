import { z } from 'zod';
import { signedIn } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { readVerification } from '../../src/features/verification/verification-service.js';
import { verificationView, viewVerification } from '../../src/features/verification/verification-view.js';
import { ok } from '../../src/lib/answer.js';

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
