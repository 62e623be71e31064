import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { readMemberNow } from '../../src/features/member-views/member-detail.js';
import { freshQuery, memberDetailView, viewMemberDetail } from '../../src/features/member-views/member-detail-view.js';
import { getMember } from '../../src/features/members/member-service.js';

export const ReadMember = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/members/:memberId',
  summary: 'One member: game ranks, roles held and expected, and the last ten syncs',
  access: guildRole('viewer'),
  input: { query: freshQuery },
  answers: { 200: memberDetailView },
  refusals: ['member_not_found'],
  handle: async ({ guild, params, query }) => {
    const member = await getMember(guild._id, params.memberId);
    const now = await readMemberNow(guild, params.memberId, query.fresh === 'true');
    return ok(viewMemberDetail(member, now));
  },
});
