import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { mappingDraft } from '../../src/features/mappings/mapping-draft.js';
import { updateMapping } from '../../src/features/mappings/mapping-service.js';
import { mappingView, viewMapping } from '../../src/features/mappings/mapping-view.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

const input = { params: guildParams.extend({ mappingId: z.string() }), body: mappingDraft };

export class UpdateMapping extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'PUT /api/guilds/:guildId/mappings/:mappingId',
      summary: 'Replace a mapping; what is left out gets its default',
      access: guildRole('manager'),
      input,
      answers: { 200: mappingView },
    });
  }

  override async handle({ guild, actor, params, body }: Request<typeof input>) {
    const { mapping, picture } = await updateMapping(guild, actor, params.mappingId, body);
    return ok(viewMapping(mapping, picture));
  }
}
