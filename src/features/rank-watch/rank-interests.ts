import { trusted } from 'mongoose';
import { activeGuildPlans, findPresentGuild } from '../../core/guilds/guild-service.js';
import type { PlanName } from '../../core/plans/plans.js';
import { groupsNamedBy, groupsOfSettings, readSettings } from '../../core/settings/settings-service.js';
import { clock } from '../../lib/clock.js';
import { groupIdsNamed } from '../mappings/mapping-draft.js';
import { enabledMappings, groupsOfMappings } from '../mappings/mapping-service.js';
import { hasKey, rankTargetMs } from './rank-target.js';
import { type WatchedGroup, WatchedGroups } from './watched-models.js';

const nothing: readonly string[] = [];

/** The guilds that use the ranks in each group at a moment: active guilds, enabled mappings, nicknames. */
export class RankInterests {
  /** Groups with people that are read less often, since logs or role counts report changes. */
  readonly #counted: ReadonlySet<string>;
  /** How many groups have a log that the key can read. */
  readonly logs: number;

  constructor(
    readonly plans: ReadonlyMap<string, PlanName>,
    readonly groupsByGuild: ReadonlyMap<string, readonly string[]>,
    readonly guildsByGroup: ReadonlyMap<string, readonly string[]>,
    watched: readonly Pick<WatchedGroup, '_id' | 'counted' | 'logUpTo'>[],
  ) {
    this.#counted = new Set(watched.filter(({ counted }) => counted).map(({ _id }) => _id));
    this.logs = watched.filter(({ logUpTo }) => logUpTo !== undefined).length;
  }

  /** The groups that matter to people in these guilds, each once. */
  groupsFor(guildIds: readonly string[]): string[] {
    return [...new Set(guildIds.flatMap((guildId) => this.groupsByGuild.get(guildId) ?? nothing))];
  }

  /** The guild among these with the plan for the youngest ranks; null if none uses any. */
  bestOf(guildIds: readonly string[]): { guildId: string; plan: PlanName } | null {
    const those = guildIds.flatMap((guildId) => {
      const plan = this.plans.get(guildId);
      return plan !== undefined && this.groupsByGuild.has(guildId) ? { guildId, plan } : [];
    });
    return those.sort((a, b) => rankTargetMs(a.plan) - rankTargetMs(b.plan))[0] ?? null;
  }

  /** Whether logs or counts report changes in all these groups, so that people are read less often. */
  areCounted(groupIds: readonly string[]): boolean {
    return hasKey() && groupIds.length > 0 && groupIds.every((groupId) => this.#counted.has(groupId));
  }
}

/** The groups that each guild here uses at this moment; none if the bot may not work there. */
export async function groupsNamedNow(guildIds: Iterable<string>): Promise<Map<string, readonly string[]>> {
  const named = new Map<string, readonly string[]>();
  for (const guildId of new Set(guildIds)) {
    const guild = await findPresentGuild(guildId);
    if (guild === null || guild.state !== 'active') continue;
    const [mappings, settings] = await Promise.all([enabledMappings(guildId), readSettings(guildId)]);
    named.set(guildId, [...new Set([...mappings.flatMap(groupIdsNamed), ...groupsNamedBy(settings)])]);
  }
  return named;
}

/** Reads all guilds, and the mappings and settings that name a group, and updates the list of watched groups. */
export async function readInterests(): Promise<RankInterests> {
  const plans = new Map<string, PlanName>();
  for await (const { _id, plan } of activeGuildPlans()) plans.set(_id, plan);
  const byGuild = new Map<string, Set<string>>();
  const note = ({ guildId, groupIds }: { guildId: string; groupIds: readonly string[] }) => {
    if (!plans.has(guildId) || groupIds.length === 0) return;
    byGuild.set(guildId, new Set([...(byGuild.get(guildId) ?? []), ...groupIds]));
  };
  for await (const named of groupsOfMappings()) note(named);
  for (const named of await groupsOfSettings()) note(named);
  const byGroup = new Map<string, string[]>();
  for (const [guildId, groupIds] of byGuild) {
    for (const groupId of groupIds) byGroup.set(groupId, [...(byGroup.get(groupId) ?? []), guildId]);
  }
  const groupsByGuild = new Map([...byGuild].map(([guildId, groupIds]) => [guildId, [...groupIds]]));
  return new RankInterests(plans, groupsByGuild, byGroup, await keepGroups([...byGroup.keys()]));
}

/** Watches these groups and no others. @returns those that were watched before. */
async function keepGroups(groupIds: readonly string[]): Promise<WatchedGroup[]> {
  const watched = await WatchedGroups.find({}, { counted: 1, logUpTo: 1 }).lean<WatchedGroup[]>();
  const there = new Set(watched.map(({ _id }) => _id));
  const wanted = new Set(groupIds);
  const fresh = groupIds.filter((groupId) => !there.has(groupId));
  const gone = [...there].filter((groupId) => !wanted.has(groupId));
  if (gone.length > 0) await WatchedGroups.deleteMany({ _id: trusted({ $in: gone }) });
  const dueAt = clock.now();
  const added = fresh.map((_id) => ({
    updateOne: { filter: { _id }, update: { $setOnInsert: { counted: false, roles: [], dueAt } }, upsert: true },
  }));
  if (added.length > 0) await WatchedGroups.bulkWrite(added, { ordered: false });
  return watched.filter(({ _id }) => wanted.has(_id));
}
