import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { mappingIn } from '../../src/features/mappings/mapping-service.js';
import { mappingView, viewMapping } from '../../src/features/mappings/mapping-view.js';
import { readMappingsPicture } from '../../src/features/mappings/mappings-picture.js';

export const ReadMapping = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/mappings/:mappingId',
  summary: 'One mapping, with what is wrong with it',
  access: guildRole('viewer'),
  answers: { 200: mappingView },
  handle: async ({ guild, params }) => {
    const picture = await readMappingsPicture(guild);
    return ok(viewMapping(mappingIn(picture, params.mappingId), picture));
  },
});
