import { listGroups } from '../src/core/groups/group-service.js';
import { button } from '../src/edges/interactions/press.js';
import { groupsPage, pageSize } from '../src/edges/interactions/replies/reply-lists.js';

export const PressGroupsPage = button('groups', { as: 'viewer' }, async ({ guild, state: [cursor] }) =>
  groupsPage(await listGroups(guild._id, { limit: pageSize, cursor })),
);
