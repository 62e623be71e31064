import { groupReference } from '../../src/core/groups/group-reference.js';
import { addGroup } from '../../src/core/groups/group-service.js';
import { groupView, viewGroup } from '../../src/core/groups/group-view.js';
import { guildRole } from '../../src/edges/http/access.js';
import { created } from '../../src/edges/http/answer.js';
import { gameRefusals } from '../../src/edges/http/refusals.js';
import { defineRoute } from '../../src/edges/http/route.js';

export const AddGroup = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/groups',
  summary: 'Attach a Roblox group, by its id or the address of its page',
  access: guildRole('manager'),
  input: { body: groupReference },
  repeatable: true,
  answers: { 201: groupView },
  refusals: ['group_exists', 'game_group_not_found', 'plan_limit_reached', ...gameRefusals, 'busy'],
  handle: async ({ guild, actor, body }) => {
    const group = await addGroup(guild, actor, 'url' in body ? body.url : body.groupId);
    return created(viewGroup(group), `/api/guilds/${guild._id}/groups/${group.groupId}`);
  },
});
