import { z } from 'zod';
import {
  channelKind,
  channelObstacles,
  type GuildChannel,
  readGuildChannels,
} from '../../platforms/discord/guild-channels.js';

/** A guild's channel, and whether it can be the log channel (API-70). */
export const channelView = z
  .strictObject({
    channelId: z.string(),
    name: z.string(),
    kind: channelKind,
    category: z.string().nullable().describe('The name of the category that it is in.'),
    writable: z.boolean().describe('Whether the bot can post into it, as into a log channel.'),
    reason: channelObstacles.nullable().describe('Why not.'),
  })
  .meta({ id: 'Channel' });

/**
 * A guild's channels as Discord shows them, without threads: first those without a category, then category by category,
 * each before its channels. Discord allows 500. Throws ChatPlatformUnavailable.
 */
export async function listChannels(guildId: string): Promise<z.input<typeof channelView>[]> {
  const channels = await readGuildChannels(guildId);
  const byId = new Map(channels.map((channel) => [channel.channelId, channel]));
  return channels
    .map((channel) => ({ channel, category: categoryOf(channel, byId) }))
    .sort((a, b) => placeOf(a).localeCompare(placeOf(b), 'en', { numeric: true }))
    .map(({ channel, category }) => viewChannel(channel, category));
}

const categoryOf = (channel: GuildChannel, byId: ReadonlyMap<string, GuildChannel>): GuildChannel | undefined =>
  channel.kind === 'category' ? channel : byId.get(channel.parentId ?? '');

function placeOf({ channel, category }: { channel: GuildChannel; category: GuildChannel | undefined }): string {
  const outer = category === undefined ? '0' : `1 ${category.position} ${category.channelId}`;
  return `${outer} ${channel === category ? '0' : `1 ${channel.position} ${channel.channelId}`}`;
}

function viewChannel(channel: GuildChannel, category: GuildChannel | undefined): z.input<typeof channelView> {
  const { channelId, name, kind, obstacle } = channel;
  const inCategory = category === channel ? null : (category?.name ?? null);
  return { channelId, name, kind, category: inCategory, writable: obstacle === null, reason: obstacle };
}
