import { guildRole } from '../../src/edges/http/access.js';
import { ok, withTag } from '../../src/edges/http/answer.js';
import { gameRefusals } from '../../src/edges/http/refusals.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { mappingDraft } from '../../src/features/mappings/mapping-draft.js';
import { updateMapping } from '../../src/features/mappings/mapping-update.js';
import { mappingView, viewMapping } from '../../src/features/mappings/mapping-view.js';
import { entityTagHeader, ifMatch, onlyIf } from '../../src/lib/entity-tag.js';

export const UpdateMapping = defineRoute({
  endpoint: 'PUT /api/guilds/:guildId/mappings/:mappingId',
  summary: 'Replace a mapping; missing fields get their defaults',
  access: guildRole('manager'),
  input: { headers: ifMatch, body: mappingDraft },
  answers: { 200: mappingView },
  refusals: ['version_mismatch', 'role_unmanageable', ...gameRefusals, 'busy'],
  answerHeaders: entityTagHeader,
  handle: async ({ guild, actor, params, headers, body }) => {
    const { mapping, snapshot } = await updateMapping(guild, actor, params.mappingId, body, onlyIf(headers));
    return withTag(ok(viewMapping(mapping, snapshot)), mapping);
  },
});
