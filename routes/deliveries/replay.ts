import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { accepted } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { mostReplayed, replay } from '../../src/features/webhooks/delivery-replay.js';
import { eventName } from '../../src/platforms/events/event-types.js';

export const ReplayDeliveries = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/webhooks/:webhookId/replay',
  summary: 'Make the deliveries of a time once more, delivered ones included',
  access: guildRole('admin'),
  rateLimit: 'replay',
  input: {
    body: z.strictObject({
      since: z.iso.datetime({ offset: true }).describe('Those stored at this time or later'),
      until: z.iso.datetime({ offset: true }).describe('Those stored before this time'),
      state: z.enum(['succeeded', 'failed']).optional().describe('Both when left out'),
      event: eventName.optional(),
      count: z.int().min(1).max(mostReplayed).describe('The answer of `deliveries/count` for the same filters'),
    }),
  },
  answers: { 202: z.strictObject({ count: z.int().nonnegative().describe('How many are made once more') }) },
  refusals: ['busy', 'count_changed', 'delivery_held', 'webhook_disabled', 'webhook_paused'],
  handle: async ({ guild, actor, params, body: { since, until, ...rest } }) => {
    const window = { ...rest, since: new Date(since), until: new Date(until) };
    return accepted({ count: await replay(guild, actor, params.webhookId, window) });
  },
});
