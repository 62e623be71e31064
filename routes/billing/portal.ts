import { z } from 'zod';
import { openPortal } from '../../src/billing/checkout-service.js';
import { guildRole } from '../../src/http/access.js';
import { created } from '../../src/http/answer.js';
import { guildParams } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';

const input = { params: guildParams };

export class OpenBillingPortal extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'POST /api/guilds/:guildId/billing/portal',
      summary: 'Change or cancel the subscription: the address of the provider’s page for that',
      access: guildRole('owner'),
      input,
      answers: { 201: z.strictObject({ url: z.url() }) },
    });
  }

  override async handle({ guild, actor }: Request<typeof input>) {
    return created({ url: await openPortal(guild, actor) });
  }
}
