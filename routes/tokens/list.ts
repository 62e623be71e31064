import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { listTokens } from '../../src/features/tokens/token-service.js';
import { tokenView, viewToken } from '../../src/features/tokens/token-view.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams, listOf, listQuery } from '../../src/lib/fields.js';

const input = { params: guildParams, query: listQuery };

export class ListTokens extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/guilds/:guildId/tokens',
      summary: 'The bot tokens of a guild that are not revoked, oldest first',
      access: guildRole('admin'),
      input,
      answers: { 200: listOf(tokenView) },
    });
  }

  override async handle({ guild, query }: Request<typeof input>) {
    const { data, nextCursor } = await listTokens(guild._id, query);
    return ok({ data: data.map(viewToken), nextCursor });
  }
}
