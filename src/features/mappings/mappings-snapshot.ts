import type { PipelineStage } from 'mongoose';
import type { LinkedGroup } from '../../core/groups/group-model.js';
import { findGroups } from '../../core/groups/linked-groups.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import type { PlanName } from '../../core/plans/plans.js';
import { readDirectly } from '../../platforms/database/direct-reads.js';
import { type GuildFacts, readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { type Mapping, Mappings, oldestFirst } from './mapping-model.js';
import { type MappingsByPlan, partByPlan } from './mappings-in-force.js';

/** A guild's facts about its mappings, read once per request or press. Views and rules take it and read nothing. */
export interface MappingsSnapshot {
  plan: PlanName;
  facts: GuildFacts;
  /** By id. */
  groups: readonly LinkedGroup[];
  /** All mappings of the guild, enabled or not, by id and so by age to the second. */
  mappings: readonly Mapping[];
}

/** Reads a guild's snapshot. Throws ChatPlatformUnavailable. */
export async function readMappingsSnapshot(guild: Pick<Guild, '_id' | 'plan'>): Promise<MappingsSnapshot> {
  const [facts, stored] = await Promise.all([readGuildFacts(guild._id), readStoredSnapshot(guild)]);
  return { ...stored, facts };
}

export async function readStoredSnapshot({
  _id: guildId,
  plan,
}: Pick<Guild, '_id' | 'plan'>): Promise<Omit<MappingsSnapshot, 'facts'>> {
  const [groups, mappings] = await Promise.all([findGroups(guildId), readAllMappings(guildId)]);
  return { plan, groups, mappings };
}

/**
 * All mappings of a guild, oldest first, enabled or not. Their count is limited by the plan's present or former limit.
 */
export function readAllMappings(guildId: string): Promise<Mapping[]> {
  return readDirectly<Mapping>(Mappings.acrossGuilds, { guildId }, { sort: oldestFirst, hint: oldestFirst });
}

/** The stage that adds a guild's mappings to other rows, oldest first. */
export const withMappingRows = (guildId: string): PipelineStage.UnionWith => ({
  $unionWith: {
    coll: Mappings.acrossGuilds.collection.name,
    pipeline: [{ $match: { guildId } }, { $sort: oldestFirst }],
  },
});

/** The stage that adds to other rows one row if the guild has more mappings than `places`. */
export const beyondPlaces = (guildId: string, places: number): PipelineStage.UnionWith => ({
  $unionWith: {
    coll: Mappings.acrossGuilds.collection.name,
    pipeline: [
      { $match: { guildId } },
      { $sort: oldestFirst },
      { $skip: places },
      { $limit: 1 },
      { $project: { _id: 1 } },
    ],
  },
});

/** The enabled mappings, split by the guild's plan. Pure. */
export function partSnapshot({ plan, groups, mappings }: Omit<MappingsSnapshot, 'facts'>): MappingsByPlan<Mapping> {
  const enabled = mappings.filter((mapping) => mapping.enabled).sort(byAge);
  const attached = [...groups].sort(
    (a, b) => a.addedAt.getTime() - b.addedAt.getTime() || byText(a.groupId, b.groupId),
  );
  return partByPlan(
    plan,
    enabled,
    attached.map(({ groupId }) => groupId),
  );
}

export type Aged = Pick<Mapping, 'createdAt' | '_id'>;

export const byAge = (a: Aged, b: Aged): number =>
  a.createdAt.getTime() - b.createdAt.getTime() || byText(a._id, b._id);

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
