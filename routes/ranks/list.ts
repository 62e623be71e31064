import { guildRole } from '../../src/edges/http/access.js';
import { listOf, listQuery, okPage } from '../../src/edges/http/list.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { listRankChanges } from '../../src/features/ranking/rank-list.js';
import { rankChangeView, viewRankChange } from '../../src/features/ranking/rank-view.js';

export const ListRankChanges = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/groups/:groupId/ranks',
  summary: 'The changes of ranks in a Roblox group that Rolelink made, newest first; kept for 30 days',
  access: guildRole('viewer'),
  input: { query: listQuery },
  answers: { 200: listOf(rankChangeView) },
  handle: async ({ guild, params, query }) =>
    okPage(await listRankChanges(guild._id, params.groupId, query), viewRankChange),
});
