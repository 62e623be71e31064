import { z } from 'zod';
import { person } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { guildConsentView, viewConsent } from '../../src/features/accounts/consent-view.js';
import { giveConsent, withdrawConsent } from '../../src/features/accounts/consents.js';

export const ChangeConsent = defineRoute({
  endpoint: 'PUT /api/auth/me/consents/:guildId',
  summary: "Show the caller's Roblox account in a server, or hide it there, which unlinks them in that server",
  access: person,
  input: { body: z.strictObject({ shown: z.boolean() }) },
  answers: { 200: guildConsentView },
  refusals: ['guild_not_found', 'busy'],
  handle: async ({ actor, params: { guildId }, body: { shown } }) =>
    ok(viewConsent(await (shown ? giveConsent : withdrawConsent)(guildId, actor))),
});
