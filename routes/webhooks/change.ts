import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { endpointChange } from '../../src/features/webhooks/endpoint-draft.js';
import { changeEndpoint } from '../../src/features/webhooks/endpoint-service.js';
import { readStanding } from '../../src/features/webhooks/endpoint-standing.js';
import { viewEndpoint, webhookView } from '../../src/features/webhooks/endpoint-view.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

const input = { params: guildParams.extend({ webhookId: z.string() }), body: endpointChange };

export class ChangeWebhook extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'PATCH /api/guilds/:guildId/webhooks/:webhookId',
      summary: 'Change a webhook endpoint, or turn it on or off; what is left out stays',
      access: guildRole('admin'),
      input,
      answers: { 200: webhookView },
    });
  }

  override async handle({ guild, actor, params, body }: Request<typeof input>) {
    const endpoint = await changeEndpoint(guild, actor, params.webhookId, body);
    return ok(viewEndpoint(await readStanding(guild, endpoint)));
  }
}
