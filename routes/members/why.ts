import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { freshQuery } from '../../src/features/member-views/member-detail-view.js';
import { explainMember } from '../../src/features/member-views/member-why.js';
import { viewMemberWhy } from '../../src/features/member-views/member-why-view.js';
import { latestRankChangeOf } from '../../src/features/ranking/rank-list.js';
import { memberWhyView, viewLatestRankChange } from '../../src/features/ranking/rank-view.js';

export const ExplainMember = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/members/:memberId/why',
  summary: "The reasons for a member's roles, mapping by mapping, and the age of the data",
  access: guildRole('viewer'),
  input: { query: freshQuery },
  answers: { 200: memberWhyView },
  refusals: ['member_not_found'],
  handle: async ({ guild, params: { memberId }, query: { fresh } }) => {
    const why = await explainMember(guild, memberId, fresh === 'true');
    const latest = await latestRankChangeOf(why);
    return ok({ ...viewMemberWhy(memberId, why), latestRankChange: viewLatestRankChange(latest) });
  },
});
