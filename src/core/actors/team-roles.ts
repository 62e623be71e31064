import { z } from 'zod';

/** Team roles of a guild, each holding all that the ones before it may do (AUTH-32). */
export const teamRoles = ['viewer', 'manager', 'admin', 'owner'] as const;

export const teamRole = z.enum(teamRoles);
export type TeamRole = z.output<typeof teamRole>;

/** The roles that can be given. `owner` can't: it belongs to the server's owner on Discord (AUTH-30). */
export const grantableRole = z.enum(['viewer', 'manager', 'admin'], { error: 'must be viewer, manager or admin' });
export type GrantableRole = z.output<typeof grantableRole>;

/** Whether `role` may do what requires at least `least`. */
export function holds(role: TeamRole | null, least: TeamRole): boolean {
  return role !== null && teamRoles.indexOf(role) >= teamRoles.indexOf(least);
}

/** The lower of two roles. */
export function lowerRole(a: TeamRole, b: TeamRole): TeamRole {
  return holds(a, b) ? b : a;
}

/** The highest of the given roles, or null when there is none. */
export function highestRole(roles: readonly (TeamRole | null)[]): TeamRole | null {
  return teamRoles.findLast((role) => roles.includes(role)) ?? null;
}
