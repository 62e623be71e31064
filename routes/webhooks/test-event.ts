import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { sendTestEvent, testEventView, testEventWish } from '../../src/features/webhooks/test-event.js';

export const TestWebhook = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/webhooks/:webhookId/test',
  summary: 'Send a test event to a webhook endpoint and tell how it was received',
  access: guildRole('admin'),
  input: { body: testEventWish },
  answers: { 200: testEventView },
  refusals: ['plan_limit_reached', 'delivery_held', 'webhook_paused'],
  handle: async ({ guild, actor, params, body }) => ok(await sendTestEvent(guild, actor, params.webhookId, body)),
});
