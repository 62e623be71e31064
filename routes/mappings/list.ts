import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { listOf, listQuery } from '../../src/edges/http/list.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { mappingFilter } from '../../src/features/mappings/mapping-list.js';
import { readMappingsPage } from '../../src/features/mappings/mapping-page.js';
import { mappingView, viewMappings } from '../../src/features/mappings/mapping-view.js';

export const ListMappings = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/mappings',
  summary: 'The mappings of a guild, oldest first, each with its problems',
  access: guildRole('viewer'),
  input: { query: listQuery.extend(mappingFilter) },
  answers: { 200: listOf(mappingView) },
  handle: async ({ guild, query }) => {
    const { data, nextCursor, snapshot } = await readMappingsPage(guild, query);
    return ok({ data: viewMappings(data, snapshot), nextCursor });
  },
});
