import { type GuildFacts, readGuildFacts } from '../../../platforms/discord/guild-facts.js';
import { type MappedGuild, type MappedRoles, readMappedRoles } from '../../mappings/mapped-roles.js';
import { heldRoleIds } from '../../mappings/mapping-status.js';
import { enqueueBlocked, obstaclesOfGuilds, obstaclesWithin } from '../../members/blocked-syncs.js';
import { freeObstacles } from '../plan/plan.js';
import { isOutdated, refusalRange } from '../plan/refused-parts.js';

/**
 * The roles of a guild, the bot's place among them or what is accepted of them may have changed: owes a sync to those
 * for whom something was due that stands free now (SYNC-25). Throws GoneFromDiscord, ChatPlatformUnavailable.
 */
export async function enqueueFreedSyncs(guildId: string): Promise<void> {
  const facts = await readGuildFacts(guildId);
  const mapped = await readMappedRoles(facts);
  const outdated = (await obstaclesWithin(guildId, refusalRange)).filter((obstacle) => isOutdated(obstacle, facts));
  await enqueueBlocked(guildId, [...freeIn(facts, mapped), ...outdated]);
}

/** The ids of those guilds in which `enqueueFreedSyncs` has something to do, by one command. */
export async function guildsWithFreed(guilds: readonly MappedGuild[]): Promise<string[]> {
  const obstacles = await obstaclesOfGuilds(guilds.map(({ facts }) => facts.guildId));
  return guilds.flatMap(({ facts, mapped }) => {
    const blocking = obstacles.get(facts.guildId) ?? [];
    if (blocking.length === 0) return [];
    const free = new Set(freeIn(facts, mapped));
    const isFreed = blocking.some((obstacle) => free.has(obstacle) || isOutdated(obstacle, facts));
    return isFreed ? [facts.guildId] : [];
  });
}

/** Pure. */
function freeIn(facts: GuildFacts, mapped: MappedRoles): string[] {
  const enabled = [...mapped.values()].flat().filter((mapping) => mapping.enabled);
  const held = new Set(enabled.flatMap((mapping) => heldRoleIds(mapping, facts)));
  return freeObstacles(facts, [...mapped.keys()], held);
}
