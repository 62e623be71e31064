import { button } from '../src/edges/interactions/press.js';
import { mappingsPage } from '../src/edges/interactions/replies/reply-lists.js';
import { readMappingsSnapshot } from '../src/features/mappings/mappings-snapshot.js';

/** The next page in /mapping list. */
export const PressMappingsPage = button('mappings', { as: 'viewer' }, async ({ guild, state: [cursor] }) =>
  mappingsPage(guild._id, await readMappingsSnapshot(guild), cursor),
);
