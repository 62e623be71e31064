import { LRUCache } from 'lru-cache';
import { roleFromDiscord } from '../../core/access/guild-access.js';
import { Teammates } from '../../core/access/teammate-model.js';
import { signedInManagers } from '../../core/auth/session-service.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { clock } from '../../lib/clock.js';
import { membersInOneCall, readGuildManagers } from '../../platforms/discord/guild-managers.js';
import { readMember } from '../../platforms/discord/guild-members.js';

/** A person by the name that they have on Discord. */
export interface DiscordAdmin {
  chatUserId: string;
  username: string;
}

/** How many people of a large guild are asked after at most, a call each. */
const mostAsked = 50;

/** Lists are read page by page, and by every visit of a dashboard: Discord is asked once in half a minute. */
const recent = new LRUCache<string, DiscordAdmin[], Guild>({
  max: 1_000,
  ttl: 30_000,
  perf: { now: () => clock.monotonicMs() },
  fetchMethod: (_guildId, _stale, { context: guild }) => askDiscord(guild),
});

/**
 * Those who count as admins of a guild by Discord's permissions, and its owner, as of half a minute ago at most; nobody,
 * where the guild does not trust those. Of a guild with more than 1,000 members they are looked for among its teammates
 * and those who have signed in here only, and 50 at most: to know them all, one would have to read every member.
 * Throws ChatPlatformUnavailable.
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
