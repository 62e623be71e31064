import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { endpointDraft } from '../../src/features/webhooks/endpoint-draft.js';
import { createEndpoint } from '../../src/features/webhooks/endpoint-service.js';
import { readStanding } from '../../src/features/webhooks/endpoint-standing.js';
import { viewWithSecret, webhookWithSecretView } from '../../src/features/webhooks/endpoint-view.js';
import { created } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

const input = { params: guildParams, body: endpointDraft };

export class CreateWebhook extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'POST /api/guilds/:guildId/webhooks',
      summary: 'Have events delivered to an address; the answer shows the signing secret, this once only',
      access: guildRole('admin'),
      input,
      answers: { 201: webhookWithSecretView },
    });
  }

  override async handle({ guild, actor, body }: Request<typeof input>) {
    const { endpoint, secret } = await createEndpoint(guild, actor, body);
    return created(viewWithSecret(await readStanding(guild, endpoint), secret));
  }
}
