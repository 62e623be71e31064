import { guildRole } from '../../src/edges/http/access.js';
import { ok, withTag } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { getEndpoint } from '../../src/features/webhooks/endpoint-service.js';
import { readMemberState } from '../../src/features/webhooks/endpoint-standing.js';
import { viewEndpoint, webhookView } from '../../src/features/webhooks/endpoint-view.js';
import { entityTagHeader } from '../../src/lib/entity-tag.js';

export const ReadWebhook = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/webhooks/:webhookId',
  summary: 'A webhook endpoint and how it is doing',
  access: guildRole('admin'),
  answers: { 200: webhookView },
  answerHeaders: entityTagHeader,
  handle: async ({ guild, params }) => {
    const endpoint = await getEndpoint(guild._id, params.webhookId);
    return withTag(ok(viewEndpoint(await readMemberState(guild, endpoint))), endpoint);
  },
});
