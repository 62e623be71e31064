import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { getEndpoint } from '../../src/features/webhooks/endpoint-service.js';
import { readStanding } from '../../src/features/webhooks/endpoint-standing.js';
import { viewEndpoint, webhookView } from '../../src/features/webhooks/endpoint-view.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

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
    const endpoint = await getEndpoint(guild._id, params.webhookId);
    return ok(viewEndpoint(await readStanding(guild, endpoint)));
  }
}
