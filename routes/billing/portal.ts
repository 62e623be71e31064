import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { openPortal } from '../../src/features/billing/checkout-service.js';
import { created } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

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
