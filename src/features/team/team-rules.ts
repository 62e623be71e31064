import type { Actor } from '../../core/actors/actor.js';
import { type GrantableRole, holds, type TeamRole } from '../../core/actors/team-roles.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { Conflict, Forbidden } from '../../lib/errors.js';

// The rights to give, change and take team roles (AUTH-32). Bot tokens follow their own role, like people.

/** Throws Forbidden unless the actor may give this role: an owner any role, others only roles below their own. */
export function requireMayGrant({ role: own }: Actor, role: GrantableRole): void {
  if (isBelow(role, own)) return;
  throw new Forbidden('forbidden', `Giving the role ${role} takes ${leastAbove(role)}; yours is ${own}.`);
}

/** Throws Forbidden unless the actor may change or remove a teammate with `role`. */
export function requireMayChange({ role: own }: Actor, role: TeamRole): void {
  if (isBelow(role, own)) return;
  throw new Forbidden(
    'forbidden',
    `This person is ${role}; changing that takes ${leastAbove(role)}, and you are ${own}.`,
  );
}

/** Throws Conflict `discord_owner` for the owner; only Discord decides that role. */
export function requireNotOwner(guild: Guild, chatUserId: string): void {
  if (chatUserId !== guild.ownerId) return;
  throw new Conflict(
    'discord_owner',
    'This person owns the server on Discord, so they are its owner here, too. Only a transfer of the server changes that.',
  );
}

const isBelow = (role: TeamRole, own: TeamRole | null): boolean => own !== role && holds(own, leastAbove(role));

/** The least role that may give or take a role: one above it, and at least admin. */
const leastAbove = (role: TeamRole): TeamRole => (holds(role, 'admin') ? 'owner' : 'admin');
