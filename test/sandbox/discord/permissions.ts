import { PermissionFlagsBits } from 'discord-api-types/v10';
import type { StoredGuild, StoredRole } from './sandbox-model.js';

const everything = Object.values(PermissionFlagsBits).reduce((all, bit) => all | bit, 0n);

/** What a new sandbox bot may do in a guild: Manage Roles and Nicknames, see channels and write in them. */
export const usualBotPermissions =
  PermissionFlagsBits.ManageRoles |
  PermissionFlagsBits.ManageNicknames |
  PermissionFlagsBits.ChangeNickname |
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.EmbedLinks |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.UseApplicationCommands;

/** What everybody may do in a new guild. */
export const everyonePermissions =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.EmbedLinks |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.ChangeNickname |
  PermissionFlagsBits.UseApplicationCommands;

/** A member's permissions in the guild: all for the owner and for administrators. */
export function permissionsOf(guild: StoredGuild, userId: string): bigint {
  if (guild.ownerId === userId) return everything;
  const held = rolesOf(guild, userId).reduce((bits, role) => bits | role.permissions, 0n);
  return held & PermissionFlagsBits.Administrator ? everything : held;
}

/** Whether the member holds every bit of `wanted`. */
export function mayDo(guild: StoredGuild, userId: string, wanted: bigint): boolean {
  return (permissionsOf(guild, userId) & wanted) === wanted;
}

/** Discord's role order: by position, and between equals the older role is the higher one. */
function outranks(role: StoredRole, other: StoredRole): boolean {
  if (role.position !== other.position) return role.position > other.position;
  return BigInt(role.id) < BigInt(other.id);
}

/** Whether the member's highest role is above `role`; the owner is above every role. */
export function isAboveRole(guild: StoredGuild, userId: string, role: StoredRole): boolean {
  return guild.ownerId === userId || outranks(topRole(guild, userId), role);
}

/** Whether the member may act on the other one: never on the owner, else by their highest roles. */
export function isAboveMember(guild: StoredGuild, userId: string, otherId: string): boolean {
  if (otherId === guild.ownerId) return false;
  return isAboveRole(guild, userId, topRole(guild, otherId));
}

/** The member's highest role; @everyone when they have no other. */
function topRole(guild: StoredGuild, userId: string): StoredRole {
  return rolesOf(guild, userId).reduce((top, role) => (outranks(role, top) ? role : top));
}

/** The member's roles, beginning with @everyone (whose id is the guild's). */
function rolesOf(guild: StoredGuild, userId: string): StoredRole[] {
  const ids = [guild.id, ...(guild.members.get(userId)?.roleIds ?? [])];
  return ids.flatMap((id) => guild.roles.get(id) ?? []);
}
