import { guildRole } from '../../src/edges/http/access.js';
import { joinRequestsQuery, listOf, okPage } from '../../src/edges/http/list.js';
import { joinRequestRefusals } from '../../src/edges/http/rank-input.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { joinRequestView, viewJoinRequest } from '../../src/features/ranking/join-request-view.js';
import { listJoinRequests } from '../../src/features/ranking/join-requests.js';

export const ListJoinRequests = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/groups/:groupId/join-requests',
  summary: 'The people asking to join a Roblox group, for those who may rank there',
  access: guildRole('viewer'),
  input: { query: joinRequestsQuery },
  answers: { 200: listOf(joinRequestView) },
  refusals: joinRequestRefusals,
  handle: async ({ guild, actor, params, query }) =>
    okPage(await listJoinRequests(guild, actor, params.groupId, query), viewJoinRequest),
});
