import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { gameRefusals } from '../../src/edges/http/refusals.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { mappingDraft } from '../../src/features/mappings/mapping-draft.js';
import { updateMapping } from '../../src/features/mappings/mapping-service.js';
import { mappingView, viewMapping } from '../../src/features/mappings/mapping-view.js';

export const UpdateMapping = defineRoute({
  endpoint: 'PUT /api/guilds/:guildId/mappings/:mappingId',
  summary: 'Replace a mapping; what is left out gets its default',
  access: guildRole('manager'),
  input: { body: mappingDraft },
  answers: { 200: mappingView },
  refusals: ['role_unmanageable', ...gameRefusals, 'busy'],
  handle: async ({ guild, actor, params, body }) => {
    const { mapping, picture } = await updateMapping(guild, actor, params.mappingId, body);
    return ok(viewMapping(mapping, picture));
  },
});
