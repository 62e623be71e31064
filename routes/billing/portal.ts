import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { created } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { openPortal } from '../../src/features/billing/checkout-service.js';

export const OpenBillingPortal = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/billing/portal',
  summary: "Change or cancel the subscription: the address of the provider's page for that",
  access: guildRole('owner'),
  repeatable: true,
  answers: { 201: z.strictObject({ url: z.url() }) },
  refusals: ['subscription_missing', 'billing_not_configured', 'billing_provider_unavailable'],
  handle: async ({ guild, actor }) => {
    const url = await openPortal(guild, actor);
    return created({ url }, url);
  },
});
