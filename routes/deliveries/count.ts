import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { countReplay } from '../../src/features/webhooks/delivery-replay.js';
import { eventName } from '../../src/platforms/events/event-types.js';

export const CountDeliveries = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/webhooks/:webhookId/deliveries/count',
  summary: 'How many deliveries a replay of a time would make once more',
  access: guildRole('admin'),
  input: {
    query: z.strictObject({
      since: z.iso.datetime({ offset: true }),
      until: z.iso.datetime({ offset: true }),
      state: z.enum(['succeeded', 'failed']).optional(),
      event: eventName.optional(),
    }),
  },
  answers: { 200: z.strictObject({ count: z.int().nonnegative().describe('10,001 for more than 10,000') }) },
  handle: async ({ guild, params, query: { since, until, ...rest } }) => {
    const window = { ...rest, since: new Date(since), until: new Date(until) };
    return ok({ count: await countReplay(guild._id, params.webhookId, window) });
  },
});
