import { guildRole } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { guildParams, listOf, listQuery } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';
import { listEndpoints } from '../../src/webhooks/endpoint-service.js';
import { viewEndpoints, webhookView } from '../../src/webhooks/endpoint-view.js';

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
    return ok({ data: await viewEndpoints(guild, data), nextCursor });
  }
}
