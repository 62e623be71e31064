import type { AdminGuild } from '../../api/admin-queries.js';

export const plans = ['free', 'pro', 'enterprise'] as const;
/** The servers to search: those that the bot is in, that it has left, or that are suspended. */
export const standings = ['present', 'left', 'suspended'] as const;

/** The search among all servers, from the address: the start of a name or id, a plan, and a state. */
export interface AdminSearch {
  q?: string;
  plan?: AdminGuild['plan'];
  standing?: (typeof standings)[number];
}

/** People edit addresses by hand: invalid values are left out. */
export function adminSearch({ q, plan, standing }: Record<string, unknown>): AdminSearch {
  const knownPlan = plans.find((each) => each === plan);
  const knownStanding = standings.find((each) => each === standing);
  return {
    ...(q !== undefined && q !== '' && { q: String(q) }),
    ...(knownPlan !== undefined && { plan: knownPlan }),
    ...(knownStanding !== undefined && { standing: knownStanding }),
  };
}
