import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { listOf, listQuery } from '../../src/edges/http/list.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { guildRoleView, listGuildRoles, roleListQuery } from '../../src/features/mappings/guild-role-list.js';

export const ListRoles = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/roles',
  summary: 'The Discord roles of a guild, highest first, assignable by the bot or why not',
  access: guildRole('viewer'),
  input: { query: listQuery.extend(roleListQuery.shape) },
  answers: { 200: listOf(guildRoleView) },
  handle: async ({ guild, query }) => ok(await listGuildRoles(guild._id, query)),
});
