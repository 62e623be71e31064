import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { rotateSecret } from '../../src/features/webhooks/endpoint-service.js';
import { readStanding } from '../../src/features/webhooks/endpoint-standing.js';
import { viewWithSecret, webhookWithSecretView } from '../../src/features/webhooks/endpoint-view.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

const input = {
  params: guildParams.extend({ webhookId: z.string() }),
  query: z.strictObject({ immediately: z.enum(['true', 'false']).default('false') }),
};

export class RotateWebhookSecret extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'POST /api/guilds/:guildId/webhooks/:webhookId/rotate-secret',
      summary: 'Make a new signing secret; the old one signs too for 24 hours, or ends at once with immediately=true',
      access: guildRole('admin'),
      input,
      answers: { 200: webhookWithSecretView },
    });
  }

  override async handle({ guild, actor, params, query }: Request<typeof input>) {
    const immediately = query.immediately === 'true';
    const { endpoint, secret } = await rotateSecret(guild, actor, params.webhookId, { immediately });
    return ok(viewWithSecret(await readStanding(guild, endpoint), secret));
  }
}
