import { LRUCache } from 'lru-cache';
import { roleFromDiscord } from '../../core/access/guild-access.js';
import { Teammates } from '../../core/access/teammate-model.js';
import { signedInManagers } from '../../core/auth/session-service.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { clock } from '../../lib/clock.js';
import { membersInOneCall, readGuildManagers } from '../../platforms/discord/guild-managers.js';
import { readMember } from '../../platforms/discord/guild-members.js';

export interface DiscordAdmin {
  chatUserId: string;
  username: string;
}

/** How many people in a large guild are checked at most, at one call each. */
const mostAsked = 50;

/** The list is read page by page and often, so Discord is asked once every 30 seconds. */
const recent = new LRUCache<string, DiscordAdmin[], Guild>({
  max: 1_000,
  ttl: 30_000,
  perf: { now: () => clock.monotonicMs() },
  fetchMethod: (_guildId, _stale, { context: guild }) => askDiscord(guild),
});

/**
 * A guild's owner and its admins by Discord's permissions, at most 30 seconds old; none if the guild doesn't trust
 * those. In guilds over 1,000 members only teammates and signed-in people are checked, 50 at most. Finding the others
 * would require reading every member. Throws ChatPlatformUnavailable.
 */
export async function readDiscordAdmins(guild: Guild): Promise<DiscordAdmin[]> {
  const { trustDiscordAdmins } = await readSettings(guild._id);
  return trustDiscordAdmins ? recent.forceFetch(guild._id, { context: guild }) : [];
}

async function askDiscord(guild: Guild): Promise<DiscordAdmin[]> {
  const managers = guild.memberCount > membersInOneCall ? null : await readGuildManagers(guild._id);
  if (managers !== null) return managers.map(({ chatUserId, username }) => ({ chatUserId, username }));
  const [owner, teammates, signedIn] = await Promise.all([
    readMember(guild._id, guild.ownerId),
    Teammates.find({ guildId: guild._id }, { limit: mostAsked }),
    signedInManagers(guild._id, mostAsked),
  ]);
  const asked = [...new Map([...teammates, ...signedIn].map((person) => [person.chatUserId, person])).values()];
  const candidates = asked.slice(0, mostAsked);
  const roles = await Promise.all(candidates.map(({ chatUserId }) => roleFromDiscord(chatUserId, guild)));
  const admins = candidates.filter((_, index) => roles[index] === 'admin');
  return owner === null ? admins : [owner, ...admins];
}
