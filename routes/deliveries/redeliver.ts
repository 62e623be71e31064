import { guildRole } from '../../src/edges/http/access.js';
import { accepted } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { redeliver } from '../../src/features/webhooks/delivery-service.js';
import { deliveryView, viewDelivery } from '../../src/features/webhooks/delivery-view.js';

export const Redeliver = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/deliveries/:deliveryId/redeliver',
  summary: "Send a delivery again with the same id and body; it isn't retried automatically",
  access: guildRole('admin'),
  answers: { 202: deliveryView },
  refusals: [
    'delivery_held',
    'delivery_in_progress',
    'person_erased',
    'webhook_disabled',
    'webhook_paused',
    'webhook_removed',
  ],
  handle: async ({ guild, actor, params }) => {
    const delivery = await redeliver(guild, actor, params.deliveryId);
    return accepted(viewDelivery(delivery), `/api/guilds/${guild._id}/deliveries/${delivery._id}`);
  },
});
