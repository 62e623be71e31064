import { trusted } from 'mongoose';
import { findGroups } from '../../core/groups/linked-groups.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { plans } from '../../core/plans/plans.js';
import { type Page, type PageQuery, pageOf } from '../../lib/cursor.js';
import { secondMs } from '../../lib/time.js';
import { readDirectly } from '../../platforms/database/direct-reads.js';
import { readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { type MappingFilter, pageOfMappings, placeOfMapping } from './mapping-list.js';
import { type Mapping, Mappings } from './mapping-model.js';
import { listAllMappings } from './mapping-service.js';
import { type MappingsSnapshot, readMappingsSnapshot } from './mappings-snapshot.js';
import { mapsWholeGroup } from './whole-group.js';

const byId = { guildId: 1, _id: 1 } as const;

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
  const after = placeOfMapping(cursor);
  const [facts, groups, page] = await Promise.all([
    readGuildFacts(guildId),
    findGroups(guildId),
    readDirectly<Mapping>(
      Mappings.acrossGuilds,
      { guildId, _id: trusted({ $gt: after }) },
      { sort: byId, limit: -(limit + 1), hint: byId },
    ),
  ]);
  const areAll = cursor === undefined && page.length <= limit;
  // Others share the roles of a group that is mapped as a whole, or older ones have used up the plan's places.
  const othersDecide =
    (!areAll && mapsWholeGroup(page)) ||
    (!(cursor === undefined && hasAllOlder(page, limit)) && (await hasMoreThan(plans[plan].mappings, guildId)));
  const mappings = othersDecide ? await listAllMappings(guildId) : page;
  return { ...pageOf(page, limit, ({ _id }) => _id), picture: { plan, facts, groups, mappings } };
}

/**
 * Whether the first mappings of a guild are older than all others. One more than the page is read if there are more.
 */
function hasAllOlder(page: readonly Mapping[], limit: number): boolean {
  const [last, next] = [page[limit - 1], page[limit]];
  // Ids sort by age with a resolution of one second.
  return last === undefined || next === undefined || secondOf(last) < secondOf(next);
}

const secondOf = ({ createdAt }: Mapping): number => Math.floor(createdAt.getTime() / secondMs);

async function hasMoreThan(places: number, guildId: string): Promise<boolean> {
  const beyond = { sort: byId, skip: places, limit: -1, hint: byId, projection: { _id: 1 } } as const;
  return (await readDirectly<Mapping>(Mappings.acrossGuilds, { guildId }, beyond)).length > 0;
}
