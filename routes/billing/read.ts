import { billingView, viewBilling } from '../../src/billing/billing-view.js';
import { guildRole } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { guildParams } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';

const input = { params: guildParams };

export class ReadBilling extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/guilds/:guildId/billing',
      summary: 'The plan of a guild, what it allows, how much of it is used, and the subscription',
      access: guildRole('admin'),
      input,
      answers: { 200: billingView },
    });
  }

  override async handle({ guild }: Request<typeof input>) {
    return ok(await viewBilling(guild));
  }
}
