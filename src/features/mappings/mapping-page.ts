import { type QueryFilter, trusted } from 'mongoose';
import { findGroups } from '../../core/groups/linked-groups.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { plans } from '../../core/plans/plans.js';
import { type Page, type PageQuery, pageOf } from '../../lib/cursor.js';
import { readDirectly } from '../../platforms/database/direct-reads.js';
import { readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { type MappingFilter, pageOfMappings, placeOfCursor, placeOfMapping } from './mapping-list.js';
import { type Mapping, Mappings, oldestFirst } from './mapping-model.js';
import { listAllMappings } from './mapping-service.js';
import { type Aged, type MappingsSnapshot, readMappingsSnapshot } from './mappings-snapshot.js';
import { mapsWholeGroup } from './whole-group.js';

type PageWithSnapshot = Page<Mapping> & { picture: MappingsSnapshot };

/**
 * A page of a guild's mappings as `pageOfMappings` returns it, with a snapshot sufficient to show it. The other
 * mappings are read only if they influence the page or a filter is set. Throws InvalidRequest for a bad cursor,
 * ChatPlatformUnavailable.
 */
export async function readMappingsPage(
  guild: Pick<Guild, '_id' | 'plan'>,
  { limit, cursor, ...filter }: PageQuery & MappingFilter,
): Promise<PageWithSnapshot> {
  if (Object.values(filter).every((wish) => wish === undefined)) return readPlainPage(guild, { limit, cursor });
  const snapshot = await readMappingsSnapshot(guild);
  return { ...pageOfMappings(snapshot, { limit, cursor, ...filter }), picture: snapshot };
}

async function readPlainPage(
  { _id: guildId, plan }: Pick<Guild, '_id' | 'plan'>,
  { limit, cursor }: PageQuery,
): Promise<PageWithSnapshot> {
  const after = placeOfCursor(cursor);
  const [facts, groups, page] = await Promise.all([
    readGuildFacts(guildId),
    findGroups(guildId),
    readDirectly<Mapping>(
      Mappings.acrossGuilds,
      { guildId, ...(after !== undefined && behind(after)) },
      { sort: oldestFirst, limit: -(limit + 1), hint: oldestFirst },
    ),
  ]);
  const areAll = cursor === undefined && page.length <= limit;
  // Others share the roles of a group that is mapped as a whole, or older ones have used up the plan's places.
  const othersDecide =
    (!areAll && mapsWholeGroup(page)) || (cursor !== undefined && (await hasMoreThan(plans[plan].mappings, guildId)));
  const mappings = othersDecide ? await listAllMappings(guildId) : page;
  return { ...pageOf(page, limit, placeOfMapping), picture: { plan, facts, groups, mappings } };
}

/** Matches the mappings behind a place. A range with an exception, since `$or` makes plans compete. */
const behind = ({ createdAt, _id }: Aged): QueryFilter<Mapping> => ({
  createdAt: trusted({ $gte: createdAt }),
  $nor: [{ createdAt, _id: trusted({ $lte: _id }) }],
});

async function hasMoreThan(places: number, guildId: string): Promise<boolean> {
  const beyond = { sort: oldestFirst, skip: places, limit: -1, hint: oldestFirst, projection: { _id: 1 } } as const;
  return (await readDirectly<Mapping>(Mappings.acrossGuilds, { guildId }, beyond)).length > 0;
}
