import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { listOf, listQuery, okPage } from '../../src/edges/http/list.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { deliveryStates } from '../../src/features/webhooks/delivery-model.js';
import { listDeliveries } from '../../src/features/webhooks/delivery-service.js';
import { deliveryView, viewDelivery } from '../../src/features/webhooks/delivery-view.js';
import { eventName } from '../../src/platforms/events/event-types.js';

export const ListDeliveries = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/webhooks/:webhookId/deliveries',
  summary: 'The deliveries of a webhook, newest first; they are kept for 30 days',
  access: guildRole('admin'),
  input: {
    query: listQuery.extend({
      state: z.enum(deliveryStates).optional(),
      event: eventName.optional(),
      since: z.iso.datetime({ offset: true }).optional().describe('Those stored at this time or later'),
      until: z.iso.datetime({ offset: true }).optional().describe('Those stored before this time'),
    }),
  },
  answers: { 200: listOf(deliveryView) },
  handle: async ({ guild, params, query: { since, until, ...query } }) => {
    const within = { ...(since && { since: new Date(since) }), ...(until && { until: new Date(until) }) };
    return okPage(await listDeliveries(guild._id, params.webhookId, { ...query, ...within }), viewDelivery);
  },
});
