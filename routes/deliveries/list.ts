import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { deliveryStates } from '../../src/features/webhooks/delivery-model.js';
import { listDeliveries } from '../../src/features/webhooks/delivery-service.js';
import { deliveryView, viewDelivery } from '../../src/features/webhooks/delivery-view.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams, listOf, listQuery } from '../../src/lib/fields.js';
import { eventName } from '../../src/platforms/events/event-types.js';

const input = {
  params: guildParams.extend({ webhookId: z.string() }),
  query: listQuery.extend({ state: z.enum(deliveryStates).optional(), event: eventName.optional() }),
};

export class ListDeliveries extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/guilds/:guildId/webhooks/:webhookId/deliveries',
      summary: 'The deliveries of a webhook, newest first; they are kept for 30 days',
      access: guildRole('admin'),
      input,
      answers: { 200: listOf(deliveryView) },
    });
  }

  override async handle({ guild, params, query }: Request<typeof input>) {
    const { data, nextCursor } = await listDeliveries(guild._id, params.webhookId, query);
    return ok({ data: data.map(viewDelivery), nextCursor });
  }
}
