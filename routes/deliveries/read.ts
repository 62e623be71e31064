import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { getDelivery } from '../../src/features/webhooks/delivery-service.js';
import { deliveryDetailView, viewDeliveryDetail } from '../../src/features/webhooks/delivery-view.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

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
