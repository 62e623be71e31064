import { guildRole } from '../../src/edges/http/access.js';
import { noContent } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { removeMapping } from '../../src/features/mappings/mapping-service.js';

export const RemoveMapping = defineRoute({
  endpoint: 'DELETE /api/guilds/:guildId/mappings/:mappingId',
  summary: 'Remove a mapping; members keep the roles that they have by it',
  access: guildRole('manager'),
  answers: { 204: null },
  refusals: ['busy'],
  handle: async ({ guild, actor, params }) => {
    await removeMapping(guild, actor, params.mappingId);
    return noContent();
  },
});
