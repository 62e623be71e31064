import { RateLimitError, Routes } from 'discord.js';
import { clock } from '../../lib/clock.js';
import { ChatPlatformUnavailable } from '../../lib/errors.js';
import { connectionsAnswer, profileAnswer, userGuildsAnswer } from './discord-answers.js';
import { managesGuild } from './permissions.js';
import { parseAnswer } from './rest/discord-call.js';
import { oneCallRest } from './rest/one-call-rest.js';
import { endingInTime, patiently, tooSlow } from './rest/patience.js';

/** An OAuth access token's owner. */
export interface UserProfile {
  chatUserId: string;
  username: string;
  avatarUrl: string | null;
}

/** Reads the person behind an access token with the scope `identify`. Throws ChatPlatformUnavailable. */
export async function readUserProfile(accessToken: string): Promise<UserProfile> {
  const user = parseAnswer(profileAnswer, await askAs(accessToken, Routes.user()));
  return { chatUserId: user.id, username: user.username, avatarUrl: avatarUrl(user.id, user.avatar) };
}

interface UserGuild {
  guildId: string;
  name: string;
  iconUrl: string | null;
  manages: boolean;
}

/** The person's guilds (scope `guilds`). Throws ChatPlatformUnavailable. */
export async function readUserGuilds(accessToken: string): Promise<UserGuild[]> {
  const guilds = parseAnswer(userGuildsAnswer, await askAs(accessToken, Routes.userGuilds()));
  return guilds.map(({ id, name, icon = null, owner, permissions }) => ({
    guildId: id,
    name,
    iconUrl: guildIconUrl(id, icon),
    manages: owner || managesGuild(permissions),
  }));
}

/** A Roblox account connected to a person's Discord account, with its id and its name at that time. */
export interface ConnectedGame {
  gameUserId: string;
  name: string;
}

/**
 * The person's Roblox accounts that Discord has verified and that are still valid (scope `connections`). Throws
 * ChatPlatformUnavailable.
 */
export async function readConnectedGames(accessToken: string): Promise<ConnectedGame[]> {
  const connections = parseAnswer(connectionsAnswer, await askAs(accessToken, '/users/@me/connections')) ?? [];
  return connections
    .filter(({ type, verified, revoked }) => type === 'roblox' && verified && !revoked)
    .map(({ id, name }) => ({ gameUserId: id, name: name ?? '' }));
}

export function avatarUrl(chatUserId: string, hash: string | null): string | null {
  return hash === null ? null : `https://cdn.discordapp.com/avatars/${chatUserId}/${hash}.png?size=128`;
}

export function guildIconUrl(guildId: string, hash: string | null): string | null {
  return hash === null ? null : `https://cdn.discordapp.com/icons/${guildId}/${hash}.png?size=128`;
}

export function roleIconUrl(roleId: string, hash: string | null): string | null {
  return hash === null ? null : `https://cdn.discordapp.com/role-icons/${roleId}/${hash}.png?size=64`;
}

async function askAs(accessToken: string, route: `/${string}`): Promise<unknown> {
  try {
    return await patiently(clock.monotonicMs(), () => oneCallRest(accessToken, 'Bearer').get(route, endingInTime()));
  } catch (cause) {
    const words = 'Discord did not tell who you are. Try again.';
    throw cause instanceof RateLimitError ? tooSlow(cause.retryAfter) : new ChatPlatformUnavailable(words, { cause });
  }
}
