import { guildRole } from '../../src/edges/http/access.js';
import { ok, withTag } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { endpointChange } from '../../src/features/webhooks/endpoint-draft.js';
import { changeEndpoint } from '../../src/features/webhooks/endpoint-service.js';
import { readMemberState } from '../../src/features/webhooks/endpoint-standing.js';
import { viewEndpoint, webhookView } from '../../src/features/webhooks/endpoint-view.js';
import { entityTagHeader, ifMatch, onlyIf } from '../../src/lib/entity-tag.js';

export const ChangeWebhook = defineRoute({
  endpoint: 'PATCH /api/guilds/:guildId/webhooks/:webhookId',
  summary: 'Change a webhook endpoint, or turn it on or off; missing fields stay',
  access: guildRole('admin'),
  input: { headers: ifMatch, body: endpointChange },
  answers: { 200: webhookView },
  refusals: ['version_mismatch', 'busy'],
  answerHeaders: entityTagHeader,
  handle: async ({ guild, actor, params, headers, body }) => {
    const endpoint = await changeEndpoint(guild, actor, params.webhookId, body, onlyIf(headers));
    return withTag(ok(viewEndpoint(await readMemberState(guild, endpoint))), endpoint);
  },
});
