import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { getDelivery } from '../../src/features/webhooks/delivery-service.js';
import { deliveryDetailView, viewDeliveryDetail } from '../../src/features/webhooks/delivery-view.js';

export const ReadDelivery = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/deliveries/:deliveryId',
  summary: 'A delivery with every attempt and its request body',
  access: guildRole('admin'),
  answers: { 200: deliveryDetailView },
  handle: async ({ guild, params }) => ok(viewDeliveryDetail(await getDelivery(guild._id, params.deliveryId))),
});
