import { platformAdmin } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { listOf, listQuery } from '../../src/edges/http/list.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { adminGuildFilters, listAllGuilds } from '../../src/features/admin/admin-guild-list.js';
import { adminGuildView } from '../../src/features/admin/admin-guild-view.js';

export const ListAllGuilds = defineRoute({
  endpoint: 'GET /api/admin/guilds',
  summary: 'All guilds, including those that the bot has left',
  access: platformAdmin,
  input: { query: listQuery.extend(adminGuildFilters) },
  answers: { 200: listOf(adminGuildView) },
  handle: async ({ query }) => ok(await listAllGuilds(query)),
});
