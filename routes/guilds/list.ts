import { z } from 'zod';
import { signedIn } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { listOf, listQuery } from '../../src/edges/http/list.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { listGuilds } from '../../src/features/guild-views/guild-list.js';
import { guildSummaryView } from '../../src/features/guild-views/guild-view.js';

export const ListGuilds = defineRoute({
  endpoint: 'GET /api/guilds',
  summary: 'The guilds in which the bot is and the caller has a team role',
  access: signedIn,
  input: { query: listQuery.extend({ q: z.string().min(1).max(100).optional() }) },
  answers: { 200: listOf(guildSummaryView) },
  handle: async ({ actor, query }) => ok(await listGuilds(actor, query)),
});
