import { guildRole } from '../../src/edges/http/access.js';
import { ok, withTag } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { mappingIn } from '../../src/features/mappings/mapping-service.js';
import { mappingView, viewMapping } from '../../src/features/mappings/mapping-view.js';
import { readMappingsSnapshot } from '../../src/features/mappings/mappings-snapshot.js';
import { entityTagHeader } from '../../src/lib/entity-tag.js';

export const ReadMapping = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/mappings/:mappingId',
  summary: 'One mapping, with its problems',
  access: guildRole('viewer'),
  answers: { 200: mappingView },
  answerHeaders: entityTagHeader,
  handle: async ({ guild, params }) => {
    const snapshot = await readMappingsSnapshot(guild);
    const mapping = mappingIn(snapshot, params.mappingId);
    return withTag(ok(viewMapping(mapping, snapshot)), mapping);
  },
});
