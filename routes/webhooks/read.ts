import { z } from 'zod';
import { guildRole } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { guildParams } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';
import { getEndpoint } from '../../src/webhooks/endpoint-service.js';
import { viewEndpoint, webhookView } from '../../src/webhooks/endpoint-view.js';

const input = { params: guildParams.extend({ webhookId: z.string() }) };

export class ReadWebhook extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/guilds/:guildId/webhooks/:webhookId',
      summary: 'A webhook endpoint and how it is doing',
      access: guildRole('admin'),
      input,
      answers: { 200: webhookView },
    });
  }

  override async handle({ guild, params }: Request<typeof input>) {
    return ok(await viewEndpoint(guild, await getEndpoint(guild._id, params.webhookId)));
  }
}
