import { listGroups } from '../../src/core/groups/group-service.js';
import { groupView, viewGroup } from '../../src/core/groups/group-view.js';
import { guildRole } from '../../src/edges/http/access.js';
import { listOf, listQuery, okPage } from '../../src/edges/http/list.js';
import { defineRoute } from '../../src/edges/http/route.js';

export const ListGroups = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/groups',
  summary: 'The Roblox groups that are attached to a guild, with their roles',
  access: guildRole('viewer'),
  input: { query: listQuery },
  answers: { 200: listOf(groupView) },
  handle: async ({ guild, query }) => okPage(await listGroups(guild._id, query), viewGroup),
});
