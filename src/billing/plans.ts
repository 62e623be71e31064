import { z } from 'zod';

/** The plans and what each allows (SPEC §4 Plans): the one table of limits. */
export const plans = {
  free: { groups: 3, mappings: 10, logDays: 30 },
  pro: { groups: 25, mappings: 250, logDays: 90 },
  enterprise: { groups: 250, mappings: 1000, logDays: 365 },
} as const;

export const planName = z.enum(['free', 'pro', 'enterprise']);
export type PlanName = z.output<typeof planName>;
