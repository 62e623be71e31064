import { z } from 'zod';
import type { Actor } from '../../core/actors/actor.js';
import { managedGuilds } from '../../core/auth/session-service.js';
import { findGuilds } from '../../core/guilds/guild-service.js';
import { decodeCursor, type Page, type PageQuery, pageOf } from '../../lib/cursor.js';
import { inviteUrl } from './installation.js';

/** A server of a person that the bot could come to (SPEC §4). */
export const serverWithoutBotView = z
  .strictObject({
    guildId: z.string(),
    name: z.string().describe('As it was when they signed in.'),
    iconUrl: z.string().nullable(),
    inviteUrl: z.url().nullable().describe('Adds the bot to it; null while Discord has not told whose bot it is.'),
  })
  .meta({ id: 'ServerWithoutBot' });

/** A page of the servers that a person could manage when they signed in and in which the bot is not; by id. */
export async function listServersWithoutBot(
  { sessionId = '' }: Actor,
  { limit, cursor }: PageQuery,
): Promise<Page<z.input<typeof serverWithoutBotView>>> {
  const after = decodeCursor(z.string(), cursor) ?? '';
  const managed = await managedGuilds(sessionId);
  const ids = managed.map(({ guildId }) => guildId);
  const withBot = new Set((await findGuilds(ids, null)).map(({ _id }) => _id));
  const without = managed.filter(({ guildId }) => !withBot.has(guildId) && guildId > after);
  const inOrder = without.sort((a, b) => (a.guildId < b.guildId ? -1 : 1));
  const { data, nextCursor } = pageOf(inOrder, limit, ({ guildId }) => guildId);
  const views = data.map(async (guild) => ({ ...guild, inviteUrl: await inviteUrl(guild.guildId) }));
  return { data: await Promise.all(views), nextCursor };
}
