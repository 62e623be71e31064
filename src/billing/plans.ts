import { z } from 'zod';

/**
 * The plans and what each allows (SPEC §4 Plans): the one table of limits. `resyncEveryHours`: how often the automatic
 * resync may run; null: never.
 */
export const plans = {
  free: { groups: 3, mappings: 10, logDays: 30, resyncEveryHours: null },
  pro: { groups: 25, mappings: 250, logDays: 90, resyncEveryHours: 6 },
  enterprise: { groups: 250, mappings: 1000, logDays: 365, resyncEveryHours: 1 },
} as const;

export const planName = z.enum(['free', 'pro', 'enterprise']);
export type PlanName = z.output<typeof planName>;
