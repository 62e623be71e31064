import { PermissionFlagsBits, PermissionsBitField } from 'discord.js';

const { Administrator, ManageGuild, ManageRoles, ManageNicknames, ViewChannel, SendMessages } = PermissionFlagsBits;

const writing = ViewChannel | SendMessages;

/** Permissions that make a role dangerous to hand out (AUTH-39). */
const dangerous =
  Administrator |
  ManageGuild |
  ManageRoles |
  PermissionFlagsBits.ManageChannels |
  PermissionFlagsBits.ManageWebhooks |
  PermissionFlagsBits.KickMembers |
  PermissionFlagsBits.BanMembers |
  PermissionFlagsBits.ModerateMembers |
  PermissionFlagsBits.MentionEveryone |
  PermissionFlagsBits.ManageMessages |
  PermissionFlagsBits.ManageThreads |
  PermissionFlagsBits.ManageNicknames |
  PermissionFlagsBits.ManageEvents |
  PermissionFlagsBits.ManageGuildExpressions |
  PermissionFlagsBits.ViewAuditLog |
  PermissionFlagsBits.MuteMembers |
  PermissionFlagsBits.DeafenMembers |
  PermissionFlagsBits.MoveMembers;

/** Whether a permission bit set allows managing the server: these members count as team admins (AUTH-31). */
export const managesGuild = (permissions: bigint): boolean => (permissions & (Administrator | ManageGuild)) !== 0n;

export const mayManageRoles = (permissions: bigint): boolean => (permissions & (Administrator | ManageRoles)) !== 0n;

export const mayManageNicknames = (permissions: bigint): boolean =>
  (permissions & (Administrator | ManageNicknames)) !== 0n;

export const mayKick = (permissions: bigint): boolean =>
  (permissions & (Administrator | PermissionFlagsBits.KickMembers)) !== 0n;

export const everyPermission = PermissionsBitField.All;

export const isAdministrator = (permissions: bigint): boolean => (permissions & Administrator) !== 0n;

/** Whether the permissions in a channel allow a person to see it and to write in it. */
export const mayChat = (permissions: bigint): boolean =>
  (permissions & PermissionFlagsBits.ViewChannel) !== 0n && (permissions & PermissionFlagsBits.SendMessages) !== 0n;

/** Whether the permissions in a channel allow posting messages. */
export const mayWrite = (permissions: bigint): boolean => (permissions & writing) === writing;

/** The dangerous permissions among `permissions`, by Discord's names (`ManageRoles` …). */
export const dangerousPermissions = (permissions: bigint): string[] => permissionNames(permissions & dangerous);

export const permissionNames = (permissions: bigint): string[] =>
  permissions === 0n ? [] : new PermissionsBitField(permissions).toArray();
