import { person } from '../../src/edges/http/access.js';
import { seeOther } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { readVerification } from '../../src/features/verification/verification-service.js';

export const ConnectVerifyPage = defineRoute({
  endpoint: 'GET /verify/:token/discord',
  summary: 'Send a person to Discord to verify by the Roblox account connected there',
  access: person,
  lane: 'press',
  answers: { 303: null },
  page: true,
  handle: async ({ actor, params: { token } }) => {
    await readVerification(token, actor);
    const returnTo = encodeURIComponent(`/verify/${token}/discord`);
    return seeOther(`/api/auth/login?returnTo=${returnTo}`);
  },
});
