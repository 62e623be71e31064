import { z } from 'zod';
import { signedIn } from '../../src/http/access.js';
import { created } from '../../src/http/answer.js';
import { type Request, Route } from '../../src/http/route.js';
import { snowflake } from '../../src/lib/ids.js';
import { verificationMethod } from '../../src/settings/guild-settings.js';
import { personMeant } from '../../src/verification/verification-access.js';
import { createVerification } from '../../src/verification/verification-service.js';
import { verificationView, viewVerification } from '../../src/verification/verification-view.js';

const input = {
  body: z.strictObject({
    guildId: snowflake.optional(),
    method: verificationMethod,
    chatUserId: snowflake.optional(),
  }),
};

export class CreateVerification extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'POST /api/verification/session',
      summary: 'Begin a verification: for oneself, or with a bot token for `chatUserId`',
      access: signedIn,
      input,
      answers: { 201: verificationView },
      rateLimit: 'verification',
    });
  }

  override async handle({ actor, body }: Request<typeof input>) {
    const { guildId = null, method } = body;
    const chatUserId = personMeant(actor, body.chatUserId, 'chatUserId');
    const { session, token } = await createVerification({ guildId, method, chatUserId }, actor);
    return created(viewVerification(session, token));
  }
}
