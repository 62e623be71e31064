import { z } from 'zod';
import { signedIn } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { type Request, Route } from '../../src/http/route.js';
import { verificationMethod } from '../../src/settings/guild-settings.js';
import { retryVerification } from '../../src/verification/verification-service.js';
import { verificationView, viewVerification } from '../../src/verification/verification-view.js';

const input = {
  body: z.strictObject({ token: z.string().min(1).max(100), method: verificationMethod.optional() }),
};

export class RetryVerification extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'POST /api/verification/retry',
      summary: 'Make a session pending again, with new words or a new sign-in, or with the other method',
      access: signedIn,
      input,
      answers: { 200: verificationView },
      rateLimit: 'verification',
    });
  }

  override async handle({ actor, body: { token, method } }: Request<typeof input>) {
    const { session } = await retryVerification(token, method, actor);
    return ok(viewVerification(session, token));
  }
}
