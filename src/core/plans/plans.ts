import { z } from 'zod';

/**
 * The plans and what each allows (PLAN-3): the one table of limits. `resyncEveryHours`: how often the automatic
 * resync may run; null: never. `webhookEndpoints`: 0 means that the plan has no webhooks. `rankAgeMinutes`: how old the
 * ranks of linked members may get before the watch has looked at them again.
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
