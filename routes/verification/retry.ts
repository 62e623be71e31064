import { z } from 'zod';
import { verificationMethod } from '../../src/core/settings/guild-settings.js';
import { signedIn } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { retryVerification } from '../../src/features/verification/verification-service.js';
import { verificationView, viewVerification } from '../../src/features/verification/verification-view.js';
import { ok } from '../../src/lib/answer.js';

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
