import type { TeamRole } from '../../api/queries.js';

/** The roles that a person with the role `own` may give: the lower ones; for the owner all but their own. */
export function grantable(own: TeamRole): ('viewer' | 'manager' | 'admin')[] {
  if (own === 'owner') return ['viewer', 'manager', 'admin'];
  return own === 'admin' ? ['viewer', 'manager'] : [];
}
