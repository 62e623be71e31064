import { z } from 'zod';
import { signedIn } from '../../src/http/access.js';
import { noContent } from '../../src/http/answer.js';
import { type Request, Route } from '../../src/http/route.js';
import { snowflake } from '../../src/lib/ids.js';
import { unlinkAccount } from '../../src/members/account-service.js';
import { personToUnlink } from '../../src/verification/verification-access.js';

const input = { query: z.strictObject({ chatUserId: snowflake.optional() }) };

export class UnlinkAccount extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'DELETE /api/verification/unlink',
      summary: 'Remove one’s account, which unlinks every guild; a platform token names the person',
      access: signedIn,
      input,
      answers: { 204: null },
      rateLimit: 'verification',
    });
  }

  override async handle({ actor, query }: Request<typeof input>) {
    await unlinkAccount(personToUnlink(actor, query.chatUserId), actor, actor.kind === 'user' ? 'self' : 'admin');
    return noContent();
  }
}
