import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { created } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { startCheckout } from '../../src/features/billing/checkout-service.js';

export const StartCheckout = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/billing/checkout',
  summary: "Start buying a plan: the address of the provider's payment page",
  access: guildRole('owner'),
  input: { body: z.strictObject({ plan: z.enum(['pro', 'enterprise']) }) },
  repeatable: true,
  answers: { 201: z.strictObject({ url: z.url() }) },
  refusals: [
    'subscription_exists',
    'plan_in_force',
    'billing_not_configured',
    'billing_provider_unavailable',
    'busy',
    'lease_lost',
  ],
  handle: async ({ guild, actor, body }) => {
    const url = await startCheckout(guild, actor, body.plan);
    return created({ url }, url);
  },
});
