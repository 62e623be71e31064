import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { readStatisticsOfAll, statisticsOfAllView } from '../../src/features/webhooks/delivery-statistics.js';

export const ReadStatisticsOfWebhooks = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/webhooks/statistics',
  summary: 'The outcomes of the deliveries of each webhook in the last 24 hours, hour by hour',
  access: guildRole('admin'),
  answers: { 200: statisticsOfAllView },
  handle: async ({ guild }) => ok(await readStatisticsOfAll(guild._id)),
});
