import { guildRole } from '../../src/edges/http/access.js';
import { noContent } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { removeMapping } from '../../src/features/mappings/mapping-service.js';
import { ifMatch, onlyIf } from '../../src/lib/entity-tag.js';

export const RemoveMapping = defineRoute({
  endpoint: 'DELETE /api/guilds/:guildId/mappings/:mappingId',
  summary: 'Remove a mapping; members keep the roles that they have by it',
  access: guildRole('manager'),
  input: { headers: ifMatch },
  answers: { 204: null },
  refusals: ['version_mismatch', 'busy'],
  handle: async ({ guild, actor, params, headers }) => {
    await removeMapping(guild, actor, params.mappingId, onlyIf(headers));
    return noContent();
  },
});
