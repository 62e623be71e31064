import { z } from 'zod';
import { guildRole } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { guildParams } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';
import { getDelivery } from '../../src/webhooks/delivery-service.js';
import { deliveryDetailView, viewDeliveryDetail } from '../../src/webhooks/delivery-view.js';

const input = { params: guildParams.extend({ deliveryId: z.string() }) };

export class ReadDelivery extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/guilds/:guildId/deliveries/:deliveryId',
      summary: 'A delivery with every attempt and the body that is sent',
      access: guildRole('admin'),
      input,
      answers: { 200: deliveryDetailView },
    });
  }

  override async handle({ guild, params }: Request<typeof input>) {
    return ok(viewDeliveryDetail(await getDelivery(guild._id, params.deliveryId)));
  }
}
