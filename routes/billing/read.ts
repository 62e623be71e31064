import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { findBilling } from '../../src/features/billing/billing-record.js';
import { billingView, viewBilling } from '../../src/features/billing/billing-view.js';
import { readPlanPrices } from '../../src/features/billing/plan-prices.js';
import { readPlanUsage } from '../../src/features/guild-views/plan-usage.js';

export const ReadBilling = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/billing',
  summary: 'The plan of a guild, its limits and usage, and the subscription',
  access: guildRole('admin'),
  answers: { 200: billingView },
  handle: async ({ guild }) => {
    const read = [readPlanUsage(guild._id), findBilling(guild._id), readPlanPrices()] as const;
    const [usage, record, prices] = await Promise.all(read);
    return ok(viewBilling(guild, usage, record, prices));
  },
});
