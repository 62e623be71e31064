import { signedIn } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { readVerification } from '../../src/features/verification/verification-service.js';
import { verificationView, viewVerification } from '../../src/features/verification/verification-view.js';

export const ReadVerification = defineRoute({
  endpoint: 'GET /api/verification/session/:token',
  summary: 'A verification session: for its own person, or a bot token of its guild',
  access: signedIn,
  answers: { 200: verificationView },
  refusals: ['guild_suspended'],
  handle: async ({ actor, params: { token } }) => ok(viewVerification(await readVerification(token, actor), token)),
});
