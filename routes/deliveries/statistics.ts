import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { deliveryStatisticsView, readStatistics } from '../../src/features/webhooks/delivery-statistics.js';

export const ReadDeliveryStatistics = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/webhooks/:webhookId/statistics',
  summary: "The outcomes of a webhook's deliveries in the last 24 hours, hour by hour",
  access: guildRole('admin'),
  answers: { 200: deliveryStatisticsView },
  handle: async ({ guild, params }) => ok(await readStatistics(guild._id, params.webhookId)),
});
