import { z } from 'zod';
import { namesInLog } from '../../core/audit/audit-list.js';
import { platformLog } from '../../core/audit/audit-model.js';
import { type GuildSearch, searchGuilds } from '../../core/guilds/guild-search.js';
import { planName } from '../../core/plans/plans.js';
import { decodeCursor, type Page, type PageQuery, pageOf } from '../../lib/cursor.js';
import { linkedMembers } from '../members/linked-counts.js';
import { type adminGuildView, viewAdminGuild } from './admin-guild-view.js';

/** Filters for GET /api/admin/guilds; a guild must match all that are given. */
export const adminGuildFilters = {
  q: z.string().min(1).max(100).optional().describe('The start of the name, in any case, or of the id.'),
  plan: planName.optional(),
  state: z.enum(['active', 'suspended']).optional(),
  present: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe('Whether the bot is in it now; both when left out.'),
};

export type AdminGuildQuery = GuildSearch & PageQuery;

/** Names for the admins that have suspended guilds, by Discord id. */
const suspenders = () => namesInLog(platformLog, 'guild.suspended', 'actor');

export async function listAllGuilds(query: AdminGuildQuery): Promise<Page<z.input<typeof adminGuildView>>> {
  const { limit, cursor, ...filter } = query;
  const after = decodeCursor(z.string(), cursor) ?? '';
  const { data, nextCursor } = pageOf(await searchGuilds(filter, after, limit + 1), limit, (guild) => guild._id);
  const linked = await linkedMembers(data.map(({ _id }) => _id));
  const names = data.some(({ suspension }) => suspension) ? await suspenders() : new Map<string, string>();
  return {
    data: data.map((guild) =>
      viewAdminGuild(guild, linked.get(guild._id) ?? 0, names.get(guild.suspension?.by ?? '') ?? null),
    ),
    nextCursor,
  };
}
