import { guildRole } from '../../src/edges/http/access.js';
import { noContent } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { removeEndpoint } from '../../src/features/webhooks/endpoint-service.js';
import { ifMatch, onlyIf } from '../../src/lib/entity-tag.js';

export const RemoveWebhook = defineRoute({
  endpoint: 'DELETE /api/guilds/:guildId/webhooks/:webhookId',
  summary: 'Remove a webhook endpoint and its undelivered events',
  access: guildRole('admin'),
  input: { headers: ifMatch },
  answers: { 204: null },
  refusals: ['version_mismatch'],
  handle: async ({ guild, actor, params, headers }) => {
    await removeEndpoint(guild, actor, params.webhookId, onlyIf(headers));
    return noContent();
  },
});
