import { z } from 'zod';

/** A guild's team roles, lowest first; each includes the earlier ones' permissions (AUTH-32). */
export const teamRoles = ['viewer', 'manager', 'admin', 'owner'] as const;

export const teamRole = z.enum(teamRoles);
export type TeamRole = z.output<typeof teamRole>;

/** The roles that can be given. `owner` is not one: it belongs to the server's Discord owner (AUTH-30). */
export const grantableRole = z.enum(['viewer', 'manager', 'admin'], { error: 'must be viewer, manager or admin' });
export type GrantableRole = z.output<typeof grantableRole>;

export function holds(role: TeamRole | null, least: TeamRole): boolean {
  return role !== null && teamRoles.indexOf(role) >= teamRoles.indexOf(least);
}

export function lowerRole(a: TeamRole, b: TeamRole): TeamRole {
  return holds(a, b) ? b : a;
}

export function highestRole(roles: readonly (TeamRole | null)[]): TeamRole | null {
  return teamRoles.findLast((role) => roles.includes(role)) ?? null;
}
