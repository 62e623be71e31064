import { z } from 'zod';
import { person } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { ownAccountList, viewOwnAccounts } from '../../src/features/accounts/own-account-view.js';
import { ownAccounts, useAccount } from '../../src/features/accounts/own-accounts.js';
import { snowflake } from '../../src/lib/ids.js';

export const UseOwnAccount = defineRoute({
  endpoint: 'PUT /api/auth/me/accounts/:gameUserId',
  summary: "Make one of the caller's accounts the main one, or use it in these servers, which lets them see it",
  access: person,
  input: {
    body: z.strictObject({
      main: z.literal(true).optional().describe('Servers without a choice of their own use it from now on.'),
      guildIds: z.array(snowflake).max(100).optional().describe('The servers that use it whichever is the main one.'),
    }),
  },
  answers: { 200: ownAccountList },
  refusals: ['not_linked', 'guild_not_found', 'account_restricted', 'main_account_required', 'busy'],
  rateLimit: 'verification',
  handle: async ({ actor, params: { gameUserId }, body }) => {
    await useAccount(actor, gameUserId, body);
    return ok(viewOwnAccounts(await ownAccounts(actor.id)));
  },
});
