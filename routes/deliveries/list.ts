import { z } from 'zod';
import { eventName } from '../../src/events/event-types.js';
import { guildRole } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { guildParams, listOf, listQuery } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';
import { deliveryStates } from '../../src/webhooks/delivery-model.js';
import { listDeliveries } from '../../src/webhooks/delivery-service.js';
import { deliveryView, viewDelivery } from '../../src/webhooks/delivery-view.js';

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
