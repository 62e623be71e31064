import { listTokens } from '../../src/auth/token-service.js';
import { tokenView, viewToken } from '../../src/auth/token-view.js';
import { guildRole } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { guildParams, listOf, listQuery } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';

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
