import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { removeEndpoint } from '../../src/features/webhooks/endpoint-service.js';
import { noContent } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

const input = { params: guildParams.extend({ webhookId: z.string() }) };

export class RemoveWebhook extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'DELETE /api/guilds/:guildId/webhooks/:webhookId',
      summary: 'Remove a webhook endpoint; what was not delivered to it yet never is',
      access: guildRole('admin'),
      input,
      answers: { 204: null },
    });
  }

  override async handle({ guild, actor, params }: Request<typeof input>) {
    await removeEndpoint(guild, actor, params.webhookId);
    return noContent();
  }
}
