import type { TeamRole } from '../../api/queries.js';

/** The roles that somebody with the role `own` may give: those below it, and of the owner all but theirs. */
export function grantable(own: TeamRole): ('viewer' | 'manager' | 'admin')[] {
  if (own === 'owner') return ['viewer', 'manager', 'admin'];
  return own === 'admin' ? ['viewer', 'manager'] : [];
}
