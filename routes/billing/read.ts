import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { findBilling } from '../../src/features/billing/billing-record.js';
import { billingView, viewBilling } from '../../src/features/billing/billing-view.js';
import { readPlanUsage } from '../../src/features/overview/plan-usage.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

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
    const [usage, record] = await Promise.all([readPlanUsage(guild._id), findBilling(guild._id)]);
    return ok(viewBilling(guild, usage, record));
  }
}
