import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { redeliverFailed } from '../../src/features/webhooks/delivery-service.js';
import { accepted } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

const input = {
  params: guildParams.extend({ webhookId: z.string() }),
  body: z.strictObject({ since: z.iso.datetime({ offset: true }).describe('Those that failed at this time or later') }),
};

export class RedeliverFailed extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'POST /api/guilds/:guildId/webhooks/:webhookId/redeliver-failed',
      summary: 'Make all deliveries of a webhook once more that have failed since a time',
      access: guildRole('admin'),
      input,
      answers: { 202: z.strictObject({ count: z.int().nonnegative().describe('How many are made once more') }) },
    });
  }

  override async handle({ guild, actor, params, body }: Request<typeof input>) {
    return accepted({ count: await redeliverFailed(guild, actor, params.webhookId, new Date(body.since)) });
  }
}
