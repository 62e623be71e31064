import { z } from 'zod';
import { guildRole } from '../../src/http/access.js';
import { noContent } from '../../src/http/answer.js';
import { guildParams } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';
import { removeEndpoint } from '../../src/webhooks/endpoint-service.js';

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
