import { button } from '../src/edges/interactions/press.js';
import { mappingsPage, pageSize } from '../src/edges/interactions/reply-lists.js';
import { listMappings } from '../src/features/mappings/mapping-service.js';

/** The next page of /mapping list. */
export const PressMappingsPage = button('mappings', { as: 'viewer' }, async ({ guild, state: [cursor] }) =>
  mappingsPage(guild._id, await listMappings(guild._id, { limit: pageSize, cursor })),
);
