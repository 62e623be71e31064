import { guildRole } from '../../src/edges/http/access.js';
import { noContent } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { removeEndpoint } from '../../src/features/webhooks/endpoint-service.js';

export const RemoveWebhook = defineRoute({
  endpoint: 'DELETE /api/guilds/:guildId/webhooks/:webhookId',
  summary: 'Remove a webhook endpoint; what was not delivered to it yet never is',
  access: guildRole('admin'),
  answers: { 204: null },
  handle: async ({ guild, actor, params }) => {
    await removeEndpoint(guild, actor, params.webhookId);
    return noContent();
  },
});
