import { z } from 'zod';
import { decodeCursor, type Page, type PageQuery, pageOf } from '../../lib/cursor.js';
import {
  channelKind,
  channelObstacles,
  type GuildChannel,
  readGuildChannels,
} from '../../platforms/discord/guild-channels.js';

/** A channel of a guild, and whether it can be the log channel (SPEC §4). */
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

/** As Discord shows them: channels without a category first, then category by category, each before its channels. */
const place = z.tuple([z.int(), z.string(), z.boolean(), z.int(), z.string()]);
type Place = z.output<typeof place>;

/** A page of the channels of a guild in Discord's order, without threads. Throws ChatPlatformUnavailable. */
export async function listChannels(
  guildId: string,
  { limit, cursor }: PageQuery,
): Promise<Page<z.input<typeof channelView>>> {
  const after = decodeCursor(place, cursor);
  const channels = await readGuildChannels(guildId);
  const byId = new Map(channels.map((channel) => [channel.channelId, channel]));
  const placed = channels.map((channel) => ({ channel, at: placeOf(channel, byId) }));
  const behind = placed.filter(({ at }) => after === undefined || compare(at, after) > 0);
  const { data, nextCursor } = pageOf(
    behind.sort((a, b) => compare(a.at, b.at)),
    limit,
    ({ at }) => at,
  );
  return { data: data.map(({ channel }) => viewChannel(channel, byId)), nextCursor };
}

function placeOf(channel: GuildChannel, byId: ReadonlyMap<string, GuildChannel>): Place {
  const isCategory = channel.kind === 'category';
  const category = isCategory ? channel : byId.get(channel.parentId ?? '');
  return [category?.position ?? -1, category?.channelId ?? '', !isCategory, channel.position, channel.channelId];
}

/** Ids are of one length nearly always; where not, the order is stable all the same. */
function compare(a: Place, b: Place): number {
  const differs = a.findIndex((part, index) => part !== b[index]);
  const [left = 0, right = 0] = [a[differs], b[differs]];
  return differs === -1 ? 0 : left < right ? -1 : 1;
}

function viewChannel(
  { channelId, name, kind, parentId, obstacle }: GuildChannel,
  byId: ReadonlyMap<string, GuildChannel>,
): z.input<typeof channelView> {
  const category = byId.get(parentId ?? '')?.name ?? null;
  return { channelId, name, kind, category, writable: obstacle === null, reason: obstacle };
}
