import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { getGuildRole, guildRoleView } from '../../src/features/mappings/guild-role-list.js';

export const ReadRole = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/roles/:roleId',
  summary: 'One Discord role of a guild, assignable by the bot or why not',
  access: guildRole('viewer'),
  answers: { 200: guildRoleView },
  handle: async ({ guild, params }) => ok(await getGuildRole(guild._id, params.roleId)),
});
