import { trusted } from 'mongoose';
import { activeGuildPlans, findPresentGuild } from '../../core/guilds/guild-service.js';
import type { PlanName } from '../../core/plans/plans.js';
import { groupsNamedBy, groupsOfSettings, readSettings } from '../../core/settings/settings-service.js';
import { clock } from '../../lib/clock.js';
import { groupIdsNamed } from '../mappings/mapping-draft.js';
import { enabledMappings, groupsOfMappings } from '../mappings/mapping-service.js';
import { hasKey, rankTargetMs } from './rank-target.js';
import { makeIdleDue } from './watched-links.js';
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
  return new RankInterests(plans, groupsByGuild, byGroup, await keepGroups(byGroup));
}

/**
 * Watches these groups and no others. People in guilds that begin to name one become due (RANK-40), before that is
 * stored, so that a kill leaves nobody out. @returns the groups that were watched before.
 */
async function keepGroups(guildsByGroup: ReadonlyMap<string, readonly string[]>): Promise<WatchedGroup[]> {
  const fields = { counted: 1, logUpTo: 1, guildIds: 1 } as const;
  const watched = await WatchedGroups.find({}, fields).lean<WatchedGroup[]>();
  const known = new Map(watched.map((group) => [group._id, group]));
  const gone = watched.flatMap(({ _id }) => (guildsByGroup.has(_id) ? [] : [_id]));
  if (gone.length > 0) await WatchedGroups.deleteMany({ _id: trusted({ $in: gone }) });
  const changed = [...guildsByGroup].filter(([_id, guildIds]) => !isNamedBy(known.get(_id), guildIds));
  const named = changed.flatMap(([_id, guildIds]) => newAmong(known.get(_id), guildIds));
  if (named.length > 0) await makeIdleDue([...new Set(named)]);
  const dueAt = clock.now();
  const writes = changed.map(([_id, guildIds]) => ({
    updateOne: {
      filter: { _id },
      update: { $set: { guildIds: [...guildIds] }, $setOnInsert: { counted: false, roles: [], dueAt } },
      upsert: true,
    },
  }));
  if (writes.length > 0) await WatchedGroups.bulkWrite(writes, { ordered: false });
  return watched.filter(({ _id }) => guildsByGroup.has(_id));
}

/** Whether exactly these guilds are known to name a group. Pure. */
function isNamedBy(group: WatchedGroup | undefined, guildIds: readonly string[]): boolean {
  const before = new Set(group?.guildIds);
  return before.size === guildIds.length && guildIds.every((guildId) => before.has(guildId));
}

/** The guilds that did not name a group before. By an older version's document their people are read already. Pure. */
function newAmong(group: WatchedGroup | undefined, guildIds: readonly string[]): string[] {
  if (group !== undefined && group.guildIds === undefined) return [];
  const before = new Set(group?.guildIds);
  return guildIds.filter((guildId) => !before.has(guildId));
}
