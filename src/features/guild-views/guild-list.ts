import { z } from 'zod';
import { roleInGuild } from '../../core/access/guild-access.js';
import { teamsOf } from '../../core/access/teammate-service.js';
import type { Actor } from '../../core/actors/actor.js';
import { managedGuildIds } from '../../core/auth/session-service.js';
import { searchGuilds } from '../../core/guilds/guild-search.js';
import { findGuilds, type Guild, pageOfGuilds } from '../../core/guilds/guild-service.js';
import { decodeCursor, type Page, type PageQuery, pageOf } from '../../lib/cursor.js';
import { searchText } from '../../lib/search-text.js';
import { linkedMembers } from '../members/linked-counts.js';
import { type guildSummaryView, viewGuildSummary } from './guild-view.js';

/**
 * The guilds with the bot in which the caller has a team role (API-59), by id. With `q` only those with a name (in any
 * case) or id that begins with it. A person's guilds are those they own, are a teammate in, or could manage at sign-in;
 * each role is read again.
 */
export async function listGuilds(
  actor: Actor,
  { limit, cursor, q }: PageQuery & { q?: string | undefined },
): Promise<Page<z.input<typeof guildSummaryView>>> {
  const after = decodeCursor(z.string(), cursor) ?? '';
  const found =
    actor.tokenGuildId === '*'
      ? await guildsOfPlatform(q, after, limit + 1)
      : (await reachableGuilds(actor, after)).filter((guild) => q === undefined || begins(guild, q));
  const { data, nextCursor } = pageOf(found, limit, (guild) => guild._id);
  const linked = await linkedMembers(data.map(({ _id }) => _id));
  const views = await Promise.all(
    data.map(async (guild) => {
      const role = await roleInGuild(actor, guild);
      return role === null ? [] : [viewGuildSummary(guild, role, linked.get(guild._id) ?? 0)];
    }),
  );
  return { data: views.flat(), nextCursor };
}

const guildsOfPlatform = (q: string | undefined, after: string, limit: number): Promise<Guild[]> =>
  q === undefined ? pageOfGuilds(after, limit) : searchGuilds({ q, present: true }, after, limit);

const begins = ({ _id, name }: Guild, q: string): boolean =>
  _id.startsWith(q) || searchText(name).startsWith(searchText(q));

async function reachableGuilds(actor: Actor, after: string): Promise<Guild[]> {
  if (actor.kind === 'bot_token') return findGuilds([actor.tokenGuildId ?? ''], null).then(behind(after));
  const [teams, managed] = await Promise.all([teamsOf(actor.id), managedGuildIds(actor.sessionId ?? '')]);
  const ids = [...teams.map((team) => team.guildId), ...managed];
  return findGuilds(ids, actor.id).then(behind(after));
}

const behind =
  (after: string) =>
  (guilds: Guild[]): Guild[] =>
    guilds.filter((guild) => guild._id > after);
