import { container } from '@sapphire/framework';
import { ChannelType, type NonThreadGuildBasedChannel, OverwriteType, RESTJSONErrorCodes, Routes } from 'discord.js';
import { z } from 'zod';
import { type ChannelAnswer, channelAnswer, channelsAnswer } from './discord-answers.js';
import { type GuildFacts, isKeptTrue, readGuildFacts } from './guild-facts.js';
import { readMemberRoleIds } from './guild-members.js';
import { everyPermission, isAdministrator, mayChat, mayWrite } from './permissions.js';
import { DiscordForbids, readDiscord, readDiscordOrNull } from './rest/discord-call.js';

/** The obstacles to writing in a channel; null for none. */
export const channelObstacles = z.enum(['channel_missing', 'channel_not_text', 'channel_forbidden']);
export type ChannelObstacle = z.output<typeof channelObstacles>;

export const channelKind = z.enum(['text', 'announcement', 'voice', 'stage', 'forum', 'media', 'category', 'other']);
type ChannelKind = z.output<typeof channelKind>;

export interface Overwrite {
  /** The id of the role or person; the guild's id means @everyone. */
  id: string;
  ofPerson: boolean;
  allow: bigint;
  deny: bigint;
}

interface Channel {
  guildId: string;
  type: ChannelType;
  overwrites: readonly Overwrite[];
}

/** The channel types that can be a log channel. Threads are excluded: Discord archives them. */
const textTypes: readonly ChannelType[] = [ChannelType.GuildText, ChannelType.GuildAnnouncement];

/**
 * The obstacle to posting in a guild's channel. Read from the gateway's cache if this process has the guild's shard,
 * otherwise over REST. Throws GoneFromDiscord if the bot is not in the guild, and ChatPlatformUnavailable.
 */
export async function channelObstacle(guildId: string, channelId: string): Promise<ChannelObstacle | null> {
  const channel = await readChannel(guildId, channelId);
  if (channel === 'forbidden') return 'channel_forbidden';
  if (channel?.guildId !== guildId) return 'channel_missing';
  return obstacleIn(channel, await readGuildFacts(guildId));
}

/**
 * Whether a person may see a guild's channel and write in it. False for somebody who is not in the guild, and for a
 * channel that the bot can't see. Throws as `channelObstacle` does.
 */
export async function personMayWrite(guildId: string, channelId: string, chatUserId: string): Promise<boolean> {
  const facts = await readGuildFacts(guildId);
  if (chatUserId === facts.ownerId) return true;
  const [channel, roleIds] = await Promise.all([
    readChannel(guildId, channelId),
    readMemberRoleIds(guildId, chatUserId),
  ]);
  if (roleIds === null || channel === null || channel === 'forbidden') return false;
  const held = [guildId, ...roleIds].flatMap((roleId) => facts.roles.get(roleId)?.permissions ?? []);
  const permissions = held.reduce((all, each) => all | each, 0n);
  return mayChat(permissionsIn({ guildId, bot: { permissions, roleIds } }, chatUserId, channel.overwrites));
}

function obstacleIn({ type, overwrites }: Channel, facts: GuildFacts): ChannelObstacle | null {
  if (!textTypes.includes(type)) return 'channel_not_text';
  const permissions = permissionsIn(facts, container.client.id ?? '', overwrites);
  return mayWrite(permissions) ? null : 'channel_forbidden';
}

const kinds: Partial<Record<ChannelType, ChannelKind>> = {
  [ChannelType.GuildText]: 'text',
  [ChannelType.GuildAnnouncement]: 'announcement',
  [ChannelType.GuildVoice]: 'voice',
  [ChannelType.GuildStageVoice]: 'stage',
  [ChannelType.GuildForum]: 'forum',
  [ChannelType.GuildMedia]: 'media',
  [ChannelType.GuildCategory]: 'category',
};

const kindOf = (type: ChannelType): ChannelKind => kinds[type] ?? 'other';

/** A guild's channel, its position, and the obstacle to posting in it. */
export interface GuildChannel {
  channelId: string;
  name: string;
  kind: ChannelKind;
  position: number;
  parentId: string | null;
  obstacle: ChannelObstacle | null;
}

/** A guild's channels, unordered and without threads. Read as in `channelObstacle`, with the same errors. */
export async function readGuildChannels(guildId: string): Promise<GuildChannel[]> {
  const facts = await readGuildFacts(guildId);
  const guild = container.client.guilds.cache.get(guildId);
  if (guild === undefined || !isKeptTrue(guild)) {
    const listed = await readDiscord(channelsAnswer, (rest) => rest.get(Routes.guildChannels(guildId)));
    return listed.map(({ id: channelId, name, position, parent_id: parentId = null, ...channel }) => {
      const obstacle = obstacleIn(channelFromWire(channel), facts);
      return { channelId, name, kind: kindOf(channel.type), position, parentId, obstacle };
    });
  }
  return [...guild.channels.cache.values()].flatMap((channel) => {
    if (channel.isThread()) return [];
    const { id: channelId, name, type, rawPosition: position, parentId } = channel;
    const obstacle = obstacleIn(fromCache(channel), facts);
    return { channelId, name, kind: kindOf(type), position, parentId, obstacle };
  });
}

/** REST answers "forbidden" for a channel that the bot can't see; the cache has every channel of the guild. */
async function readChannel(guildId: string, channelId: string): Promise<Channel | 'forbidden' | null> {
  const guild = container.client.guilds.cache.get(guildId);
  if (guild !== undefined && isKeptTrue(guild)) return cachedChannel(guildId, channelId);
  try {
    const channel = await readDiscordOrNull(channelAnswer, RESTJSONErrorCodes.UnknownChannel, (rest) =>
      rest.get(Routes.channel(channelId)),
    );
    return channel && channelFromWire(channel);
  } catch (error) {
    if (error instanceof DiscordForbids) return 'forbidden';
    throw error;
  }
}

function cachedChannel(guildId: string, channelId: string): Channel | null {
  const channel = container.client.guilds.cache.get(guildId)?.channels.cache.get(channelId);
  if (channel === undefined) return null;
  return channel.isThread() ? { guildId, type: channel.type, overwrites: [] } : fromCache(channel);
}

function fromCache({ guildId, type, permissionOverwrites }: NonThreadGuildBasedChannel): Channel {
  const overwrites = permissionOverwrites.cache.map(({ id, type, allow, deny }) => ({
    id,
    ofPerson: type === OverwriteType.Member,
    allow: allow.bitfield,
    deny: deny.bitfield,
  }));
  return { guildId, type, overwrites };
}

function channelFromWire(channel: ChannelAnswer): Channel {
  const overwrites = (channel.permission_overwrites ?? []).map(({ id, type, allow, deny }) => ({
    id,
    ofPerson: type === OverwriteType.Member,
    allow,
    deny,
  }));
  return { guildId: channel.guild_id ?? '', type: channel.type, overwrites };
}

interface Holder {
  guildId: string;
  bot: Pick<GuildFacts['bot'], 'permissions' | 'roleIds'>;
}

/**
 * A member's permissions in a channel by Discord's rules: overwrites for @everyone, then for all their roles together,
 * then for themselves. An administrator may do everything. Pure.
 */
export function permissionsIn({ guildId, bot }: Holder, botId: string, overwrites: readonly Overwrite[]): bigint {
  if (isAdministrator(bot.permissions)) return everyPermission;
  const everyone = overwrites.filter(({ id }) => id === guildId);
  const ofRoles = overwrites.filter(({ id, ofPerson }) => !ofPerson && bot.roleIds.includes(id));
  const ofBot = overwrites.filter(({ id, ofPerson }) => ofPerson && id === botId);
  return [everyone, ofRoles, ofBot].reduce(overwritten, bot.permissions);
}

function overwritten(permissions: bigint, overwrites: readonly Overwrite[]): bigint {
  const denied = overwrites.reduce((all, { deny }) => all | deny, 0n);
  const allowed = overwrites.reduce((all, { allow }) => all | allow, 0n);
  return (permissions & ~denied) | allowed;
}
