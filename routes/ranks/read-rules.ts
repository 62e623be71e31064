import { rankingRules } from '../../src/core/groups/ranking-rules.js';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { readRankingRules } from '../../src/features/ranking/ranking-rules-service.js';

export const ReadRankingRules = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/groups/:groupId/ranking',
  summary: 'The rules of the server for ranking people in a Roblox group',
  access: guildRole('viewer'),
  answers: { 200: rankingRules },
  handle: async ({ guild, params }) => ok(await readRankingRules(guild._id, params.groupId)),
});
