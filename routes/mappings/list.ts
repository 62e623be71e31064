import { guildRole } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { guildParams, listOf, listQuery } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';
import { listMappings } from '../../src/mappings/mapping-service.js';
import { mappingView, viewMappings } from '../../src/mappings/mapping-view.js';

const input = { params: guildParams, query: listQuery };

export class ListMappings extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/guilds/:guildId/mappings',
      summary: 'The mappings of a guild, oldest first, each with what is wrong with it',
      access: guildRole('viewer'),
      input,
      answers: { 200: listOf(mappingView) },
    });
  }

  override async handle({ guild, query }: Request<typeof input>) {
    const { data, nextCursor } = await listMappings(guild._id, query);
    return ok({ data: await viewMappings(guild._id, data), nextCursor });
  }
}
