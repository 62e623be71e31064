import { guildRole } from '../../src/edges/http/access.js';
import { created, withTag } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { endpointDraft } from '../../src/features/webhooks/endpoint-draft.js';
import { createEndpoint } from '../../src/features/webhooks/endpoint-service.js';
import { readMemberState } from '../../src/features/webhooks/endpoint-standing.js';
import { viewWithSecret, webhookWithSecretView } from '../../src/features/webhooks/endpoint-view.js';
import { entityTagHeader } from '../../src/lib/entity-tag.js';

export const CreateWebhook = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/webhooks',
  summary: 'Have events delivered to an address; the answer shows the signing secret, this once only',
  access: guildRole('admin'),
  input: { body: endpointDraft },
  repeatable: true,
  answers: { 201: webhookWithSecretView },
  refusals: ['plan_limit_reached', 'busy'],
  answerHeaders: entityTagHeader,
  handle: async ({ guild, actor, body }) => {
    const { endpoint, secret } = await createEndpoint(guild, actor, body);
    const location = `/api/guilds/${guild._id}/webhooks/${endpoint._id}`;
    return withTag(created(viewWithSecret(await readMemberState(guild, endpoint), secret), location), endpoint);
  },
});
