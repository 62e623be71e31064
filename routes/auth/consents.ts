import { z } from 'zod';
import { person } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { guildConsentView, viewConsent } from '../../src/features/accounts/consent-view.js';
import { consentsOf } from '../../src/features/accounts/consents.js';

export const ListConsents = defineRoute({
  endpoint: 'GET /api/auth/me/consents',
  summary: 'The servers with the bot that the caller is in, and whether each sees their Roblox account',
  access: person,
  answers: { 200: z.strictObject({ data: z.array(guildConsentView) }) },
  handle: async ({ actor }) => ok({ data: (await consentsOf(actor.id)).map(viewConsent) }),
});
