import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { listMappings } from '../../src/features/mappings/mapping-service.js';
import { mappingView, viewMappings } from '../../src/features/mappings/mapping-view.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams, listOf, listQuery } from '../../src/lib/fields.js';

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
