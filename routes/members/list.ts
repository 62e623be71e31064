import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { listOf, listQuery, okPage } from '../../src/edges/http/list.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { memberFilters } from '../../src/features/members/member-filters.js';
import { listMembers, memberSorts } from '../../src/features/members/member-list.js';
import { memberStatus, memberView, viewMember } from '../../src/features/members/member-view.js';
import { gameId } from '../../src/lib/ids.js';

export const ListMembers = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/members',
  summary: 'The linked members of a guild; `gameUserId` finds the member of a game account',
  access: guildRole('viewer'),
  input: {
    query: listQuery.extend({
      gameUserId: gameId.optional(),
      status: memberStatus.default('linked'),
      ...memberFilters,
      sort: z.enum(memberSorts).default('-linkedAt'),
    }),
  },
  answers: { 200: listOf(memberView) },
  handle: async ({ guild, query }) => okPage(await listMembers(guild._id, query), viewMember),
});
