import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { listOf, listQuery } from '../../src/edges/http/list.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { listEndpoints } from '../../src/features/webhooks/endpoint-service.js';
import { readMemberStates } from '../../src/features/webhooks/endpoint-standing.js';
import { viewEndpoint, webhookView } from '../../src/features/webhooks/endpoint-view.js';

export const ListWebhooks = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/webhooks',
  summary: 'The webhook endpoints of a guild, oldest first, and how each is doing',
  access: guildRole('admin'),
  input: { query: listQuery },
  answers: { 200: listOf(webhookView) },
  handle: async ({ guild, query }) => {
    const { data, nextCursor } = await listEndpoints(guild._id, query);
    return ok({ data: (await readMemberStates(guild, data)).map(viewEndpoint), nextCursor });
  },
});
