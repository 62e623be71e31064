import type { Schemas } from '../../../client/api-types.js';

type Billing = Schemas['Billing'];
type Limits = Schemas['PlanLimits'];

/** The resources that plans limit, in page order. */
export const counted = ['groups', 'mappings', 'webhookEndpoints'] as const;

/** The parts in use that would stop working under a plan with these limits. */
export function lossOf(usage: Billing['usage'], limits: Limits): { name: (typeof counted)[number]; count: number }[] {
  return counted.map((name) => ({ name, count: usage[name] - limits[name] })).filter(({ count }) => count > 0);
}
