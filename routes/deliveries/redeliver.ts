import { z } from 'zod';
import { guildRole } from '../../src/http/access.js';
import { accepted } from '../../src/http/answer.js';
import { guildParams } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';
import { redeliver } from '../../src/webhooks/delivery-service.js';
import { deliveryView, viewDelivery } from '../../src/webhooks/delivery-view.js';

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
