import type { Schemas } from '../../api/api-types.js';

type Billing = Schemas['Billing'];
type Limits = Schemas['PlanLimits'];

/** What the plans count, in the order of the pages. */
export const counted = ['groups', 'mappings', 'webhookEndpoints'] as const;

/** What a plan with these limits would not let work any more of what the server uses. */
export function lossOf(usage: Billing['usage'], limits: Limits): { name: (typeof counted)[number]; count: number }[] {
  return counted.map((name) => ({ name, count: usage[name] - limits[name] })).filter(({ count }) => count > 0);
}
