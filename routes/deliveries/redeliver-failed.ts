import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { accepted } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { redeliverFailed } from '../../src/features/webhooks/delivery-replay.js';

export const RedeliverFailed = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/webhooks/:webhookId/redeliver-failed',
  summary: 'Send all deliveries of a webhook again that have failed since a time',
  access: guildRole('admin'),
  rateLimit: 'replay',
  input: {
    body: z.strictObject({
      since: z.iso.datetime({ offset: true }).describe('Those that failed at this time or later'),
    }),
  },
  answers: { 202: z.strictObject({ count: z.int().nonnegative().describe('How many are made once more') }) },
  refusals: ['delivery_held', 'webhook_disabled', 'webhook_paused'],
  handle: async ({ guild, actor, params, body }) =>
    accepted({ count: await redeliverFailed(guild, actor, params.webhookId, new Date(body.since)) }),
});
