import { guildRole } from '../../src/http/access.js';
import { created } from '../../src/http/answer.js';
import { guildParams } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';
import { mappingDraft } from '../../src/mappings/mapping-draft.js';
import { createMapping } from '../../src/mappings/mapping-service.js';
import { mappingView, viewMapping } from '../../src/mappings/mapping-view.js';

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
    return created(await viewMapping(await createMapping(guild, actor, body)));
  }
}
