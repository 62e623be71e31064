import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { mappingDraft } from '../../src/features/mappings/mapping-draft.js';
import { createMapping } from '../../src/features/mappings/mapping-service.js';
import { mappingView, viewMapping } from '../../src/features/mappings/mapping-view.js';
import { created } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

const input = { params: guildParams, body: mappingDraft };

export class CreateMapping extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'POST /api/guilds/:guildId/mappings',
      summary: 'Give Discord roles to everybody who meets a condition',
      access: guildRole('manager'),
      input,
      answers: { 201: mappingView },
    });
  }

  override async handle({ guild, actor, body }: Request<typeof input>) {
    const { mapping, picture } = await createMapping(guild, actor, body);
    return created(viewMapping(mapping, picture));
  }
}
