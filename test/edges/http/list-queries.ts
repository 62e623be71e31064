import { tokenFor } from '../../support/build.js';
import type { LargeGuild } from '../../support/large-lists.js';
import { platformAdminId } from '../../support/world.js';
import { type Answer, type HttpSide, sessionHeaders, tokenHeaders } from './http-setup.js';
import { listFilters } from './list-filters.js';

/** How one list is asked for in a guild, and every query with up to two filters, with each sort. */
export interface ListQueries {
  path: string;
  headers: Record<string, string>;
  all: string[];
}

export async function queriesOf(name: string, guild: LargeGuild): Promise<ListQueries> {
  const inGuild = name.replace('GET ', '').replace(':guildId', guild.guildId).replace(':webhookId', guild.webhookId);
  const path = inGuild.replace(':groupId', '15');
  const { sort = [''], ...filters } = listFilters[name] ?? {};
  type Pair = [name: string, value: string];
  const one = Object.entries(filters).flatMap(([key, values]) => values.map((value): Pair => [key, value]));
  const two = one.flatMap((a, index) => one.slice(index + 1).flatMap((b) => (a[0] === b[0] ? [] : [[a, b]])));
  const wishes: Pair[][] = [[], ...one.map((pair) => [pair]), ...two];
  const sorts: Pair[][] = sort.map((by) => (by === '' ? [] : [['sort', by]]));
  const all = wishes.flatMap((pairs) => sorts.map((by) => String(new URLSearchParams([...pairs, ...by]))));
  return { path, headers: await headersOf(name, guild), all };
}

async function headersOf(name: string, { token }: LargeGuild): Promise<Record<string, string>> {
  if (name.includes('/admin/')) return sessionHeaders(platformAdminId);
  return tokenHeaders(name === 'GET /api/guilds' ? await tokenFor('*', 'viewer') : token);
}

/** Reads the first three pages. Gives the last answer. */
export async function readPages(http: HttpSide, { path, headers }: ListQueries, query: string): Promise<Answer> {
  let answer = await http.send('GET', `${path}?${query}`, { headers });
  for (let page = 1; page < 3 && answer.status === 200 && answer.json.nextCursor !== null; page += 1) {
    answer = await http.send('GET', `${path}?${query}&cursor=${answer.json.nextCursor}`, { headers });
  }
  return answer;
}
