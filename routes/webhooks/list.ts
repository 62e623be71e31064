import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { listEndpoints } from '../../src/features/webhooks/endpoint-service.js';
import { readStandings } from '../../src/features/webhooks/endpoint-standing.js';
import { viewEndpoint, webhookView } from '../../src/features/webhooks/endpoint-view.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams, listOf, listQuery } from '../../src/lib/fields.js';

const input = { params: guildParams, query: listQuery };

export class ListWebhooks extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/guilds/:guildId/webhooks',
      summary: 'The webhook endpoints of a guild, oldest first, and how each is doing',
      access: guildRole('admin'),
      input,
      answers: { 200: listOf(webhookView) },
    });
  }

  override async handle({ guild, query }: Request<typeof input>) {
    const { data, nextCursor } = await listEndpoints(guild._id, query);
    return ok({ data: (await readStandings(guild, data)).map(viewEndpoint), nextCursor });
  }
}
