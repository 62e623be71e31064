import { z } from 'zod';
import { signedIn } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { unlinkAccount } from '../../src/features/members/account-service.js';
import { personToUnlink } from '../../src/features/verification/verification-access.js';
import { noContent } from '../../src/lib/answer.js';
import { snowflake } from '../../src/lib/ids.js';

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
