import { person } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { ownAccountList, viewOwnAccounts } from '../../src/features/accounts/own-account-view.js';
import { ownAccounts } from '../../src/features/accounts/own-accounts.js';

export const ListOwnAccounts = defineRoute({
  endpoint: 'GET /api/auth/me/accounts',
  summary: 'The Roblox accounts that the caller has proved, the main one first, and the servers that use each',
  access: person,
  answers: { 200: ownAccountList },
  handle: async ({ actor }) => ok(viewOwnAccounts(await ownAccounts(actor.id))),
});
