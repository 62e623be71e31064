import { rankingRules } from '../../src/core/groups/ranking-rules.js';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { changeRankingRules } from '../../src/features/ranking/ranking-rules-service.js';

export const ChangeRankingRules = defineRoute({
  endpoint: 'PUT /api/guilds/:guildId/groups/:groupId/ranking',
  summary: 'Replace the rules of the server for ranking people in a Roblox group',
  access: guildRole('admin'),
  input: { body: rankingRules },
  answers: { 200: rankingRules },
  handle: async ({ guild, actor, params, body }) => ok(await changeRankingRules(guild, actor, params.groupId, body)),
});
