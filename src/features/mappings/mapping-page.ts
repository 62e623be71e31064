import mongoose, { type QueryFilter, trusted } from 'mongoose';
import { findGroups } from '../../core/groups/linked-groups.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { plans } from '../../core/plans/plans.js';
import { type Page, type PageQuery, pageOf } from '../../lib/cursor.js';
import { aggregateDirectly, readDirectly } from '../../platforms/database/direct-reads.js';
import { named } from '../../platforms/database/named-rows.js';
import { readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { type MappingFilter, pageOfMappings, placeOfCursor, placeOfMapping } from './mapping-list.js';
import { type Mapping, Mappings, oldestFirst } from './mapping-model.js';
import { listAllMappings } from './mapping-service.js';
import { type Aged, beyondPlaces, type MappingsSnapshot, readMappingsSnapshot } from './mappings-snapshot.js';
import { mapsWholeGroup } from './whole-group.js';

type PageWithSnapshot = Page<Mapping> & { snapshot: MappingsSnapshot };

/**
 * A page with a guild's mappings as `pageOfMappings` returns it, with a snapshot sufficient to show it. The other
 * mappings are read only if they influence the page or a filter is set. Throws InvalidRequest for a bad cursor,
 * ChatPlatformUnavailable.
 */
export async function readMappingsPage(
  guild: Pick<Guild, '_id' | 'plan'>,
  { limit, cursor, ...filter }: PageQuery & MappingFilter,
): Promise<PageWithSnapshot> {
  if (Object.values(filter).every((wish) => wish === undefined)) return readPlainPage(guild, { limit, cursor });
  const snapshot = await readMappingsSnapshot(guild);
  return { ...pageOfMappings(snapshot, { limit, cursor, ...filter }), snapshot };
}

async function readPlainPage(
  { _id: guildId, plan }: Pick<Guild, '_id' | 'plan'>,
  { limit, cursor }: PageQuery,
): Promise<PageWithSnapshot> {
  const places = cursor === undefined ? undefined : plans[plan].mappings;
  const [facts, groups, { page, isBeyond }] = await Promise.all([
    readGuildFacts(guildId),
    findGroups(guildId),
    readPart(guildId, { after: placeOfCursor(cursor), limit: limit + 1, places }),
  ]);
  const areAll = cursor === undefined && page.length <= limit;
  // Others share a whole group's roles, or older ones have used up the plan's places.
  const othersDecide = (!areAll && mapsWholeGroup(page)) || isBeyond;
  const mappings = othersDecide ? await listAllMappings(guildId) : page;
  return { ...pageOf(page, limit, placeOfMapping), snapshot: { plan, facts, groups, mappings } };
}

/** Part of a guild's mappings to read; with `places`, also whether the guild has more mappings than that. */
interface Part {
  after: Aged | undefined;
  limit: number;
  places: number | undefined;
}

async function readPart(
  guildId: string,
  { after, limit, places }: Part,
): Promise<{ page: Mapping[]; isBeyond: boolean }> {
  const model = Mappings.acrossGuilds;
  const behindIt = { guildId, ...(after !== undefined && behind(after)) };
  if (places === undefined) {
    const page = await readDirectly<Mapping>(model, behindIt, { sort: oldestFirst, limit: -limit, hint: oldestFirst });
    return { page, isBeyond: false };
  }
  const rows = await aggregateDirectly<{ mapping?: Mapping; beyond?: object }>(
    model,
    [
      { $match: mongoose.sanitizeFilter(behindIt) },
      { $sort: oldestFirst },
      { $limit: limit },
      { $replaceWith: { mapping: '$$ROOT' } },
      named('beyond', beyondPlaces(guildId, places)),
    ],
    { hint: oldestFirst },
  );
  const page = rows.flatMap(({ mapping }) => mapping ?? []);
  return { page, isBeyond: rows.some(({ beyond }) => beyond !== undefined) };
}

/** Matches the mappings behind a place. A range with an exception, since `$or` makes plans compete. */
const behind = ({ createdAt, _id }: Aged): QueryFilter<Mapping> => ({
  createdAt: trusted({ $gte: createdAt }),
  $nor: [{ createdAt, _id: trusted({ $lte: _id }) }],
});
