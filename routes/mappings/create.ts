import { guildRole } from '../../src/edges/http/access.js';
import { created, withTag } from '../../src/edges/http/answer.js';
import { gameRefusals } from '../../src/edges/http/refusals.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { mappingDraft } from '../../src/features/mappings/mapping-draft.js';
import { createMapping } from '../../src/features/mappings/mapping-service.js';
import { mappingView, viewMapping } from '../../src/features/mappings/mapping-view.js';
import { entityTagHeader } from '../../src/lib/entity-tag.js';

export const CreateMapping = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/mappings',
  summary: 'Give Discord roles to everyone that meets a condition',
  access: guildRole('manager'),
  input: { body: mappingDraft },
  repeatable: true,
  answers: { 201: mappingView },
  refusals: ['role_unmanageable', 'plan_limit_reached', ...gameRefusals, 'busy'],
  answerHeaders: entityTagHeader,
  handle: async ({ guild, actor, body }) => {
    const { mapping, snapshot } = await createMapping(guild, actor, body);
    const location = `/api/guilds/${guild._id}/mappings/${mapping._id}`;
    return withTag(created(viewMapping(mapping, snapshot), location), mapping);
  },
});
