import { PermissionFlagsBits } from 'discord-api-types/v10';
import { DiscordError } from './discord-error.js';
import type { DiscordState } from './discord-state.js';
import { type Call, param } from './endpoint.js';
import { mayDo } from './permissions.js';
import type { SandboxUser, StoredChannel, StoredGuild, StoredMember, StoredRole } from './sandbox-model.js';

/** The path's guild, if the bot is in it. Throws 10004, or 50001 for a guild without the bot. */
export function guildOf(state: DiscordState, call: Call): StoredGuild {
  const guild = state.guilds.get(param(call, 'guildId'));
  if (!guild) throw new DiscordError('unknownGuild');
  if (!state.hasBot(guild)) throw new DiscordError('missingAccess');
  return guild;
}

/** The path's member. Throws 10013 for an unknown id, 10007 for a user that is not in the guild. */
export function memberOf(state: DiscordState, guild: StoredGuild, call: Call): StoredMember {
  const userId = param(call, 'userId');
  if (!state.users.has(userId)) throw new DiscordError('unknownUser');
  const member = guild.members.get(userId);
  if (!member) throw new DiscordError('unknownMember');
  return member;
}

export function roleOf(guild: StoredGuild, call: Call): StoredRole {
  const role = guild.roles.get(param(call, 'roleId'));
  if (!role) throw new DiscordError('unknownRole');
  return role;
}

export function userOf(state: DiscordState, call: Call): SandboxUser {
  const user = state.users.get(param(call, 'userId'));
  if (!user) throw new DiscordError('unknownUser');
  return user;
}

/** The path's channel, if the bot sees it. Throws 10003 or 50001. */
export function channelOf(state: DiscordState, call: Call): StoredChannel {
  const channel = state.channels.get(param(call, 'channelId'));
  if (!channel) throw new DiscordError('unknownChannel');
  if (channel.guildId === undefined) return channel;
  const guild = state.guild(channel.guildId);
  if (!state.hasBot(guild)) throw new DiscordError('missingAccess');
  requirePermission(state, guild, PermissionFlagsBits.ViewChannel, 'missingAccess');
  return channel;
}

/** Throws 50013 (or 50001) unless the bot holds the permission in the guild. */
export function requirePermission(
  state: DiscordState,
  guild: StoredGuild,
  permission: bigint,
  refusal: 'missingPermissions' | 'missingAccess' = 'missingPermissions',
): void {
  if (!mayDo(guild, state.bot.id, permission)) throw new DiscordError(refusal);
}
