import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { startCheckout } from '../../src/features/billing/checkout-service.js';
import { created } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

const input = { params: guildParams, body: z.strictObject({ plan: z.enum(['pro', 'enterprise']) }) };

export class StartCheckout extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'POST /api/guilds/:guildId/billing/checkout',
      summary: 'Begin to buy a plan: the address of the provider’s page where it is paid',
      access: guildRole('owner'),
      input,
      answers: { 201: z.strictObject({ url: z.url() }) },
    });
  }

  override async handle({ guild, actor, body }: Request<typeof input>) {
    return created({ url: await startCheckout(guild, actor, body.plan) });
  }
}
