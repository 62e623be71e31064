import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { redeliver } from '../../src/features/webhooks/delivery-service.js';
import { deliveryView, viewDelivery } from '../../src/features/webhooks/delivery-view.js';
import { accepted } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

const input = { params: guildParams.extend({ deliveryId: z.string() }) };

export class Redeliver extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'POST /api/guilds/:guildId/deliveries/:deliveryId/redeliver',
      summary: 'Make a delivery once more, with the same id and body; it is not retried by itself',
      access: guildRole('admin'),
      input,
      answers: { 202: deliveryView },
    });
  }

  override async handle({ guild, actor, params }: Request<typeof input>) {
    return accepted(viewDelivery(await redeliver(guild, actor, params.deliveryId)));
  }
}
