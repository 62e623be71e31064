import { z } from 'zod';

/**
 * The plans and their limits (PLAN-3): the only limits table. `resyncEveryHours`: minimum interval between automatic
 * resyncs; null for none. `webhookEndpoints`: 0 means no webhooks. `rankAgeMinutes`: linked members' maximum rank age
 * before the watch reads them again.
 */
export const plans = {
  free: { groups: 3, mappings: 10, logDays: 30, webhookEndpoints: 0, resyncEveryHours: null, rankAgeMinutes: 1440 },
  pro: { groups: 25, mappings: 250, logDays: 90, webhookEndpoints: 5, resyncEveryHours: 6, rankAgeMinutes: 15 },
  enterprise: {
    groups: 250,
    mappings: 1000,
    logDays: 365,
    webhookEndpoints: 25,
    resyncEveryHours: 1,
    rankAgeMinutes: 2,
  },
} as const;

export const planName = z.enum(['free', 'pro', 'enterprise']);
export type PlanName = z.output<typeof planName>;
