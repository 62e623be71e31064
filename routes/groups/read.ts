import { getGroup } from '../../src/core/groups/group-service.js';
import { groupView, viewGroup } from '../../src/core/groups/group-view.js';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';

export const ReadGroup = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/groups/:groupId',
  summary: 'One Roblox group that is attached to a guild, with its roles',
  access: guildRole('viewer'),
  answers: { 200: groupView },
  handle: async ({ guild, params }) => ok(viewGroup(await getGroup(guild._id, params.groupId))),
});
