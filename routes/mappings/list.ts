import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { pageOfMappings } from '../../src/features/mappings/mapping-service.js';
import { mappingView, viewMappings } from '../../src/features/mappings/mapping-view.js';
import { readMappingsPicture } from '../../src/features/mappings/mappings-picture.js';
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
    const picture = await readMappingsPicture(guild);
    const { data, nextCursor } = pageOfMappings(picture, query);
    return ok({ data: viewMappings(data, picture), nextCursor });
  }
}
