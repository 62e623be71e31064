import { type GuildFacts, readGuildFacts } from '../../../platforms/discord/guild-facts.js';
import { type MappedGuild, type MappedRoles, readMappedRoles } from '../../mappings/mapped-roles.js';
import { heldRoleIds } from '../../mappings/mapping-status.js';
import { enqueueBlocked, obstaclesOfGuilds, obstaclesWithin } from '../../members/blocked-syncs.js';
import { freeObstacles, obstacleOfWord } from '../plan/plan.js';
import { isOutdated, refusalRange } from '../plan/refused-parts.js';

/**
 * Enqueues syncs for members whose blocked change is now possible, after a change to roles, the bot's place among them
 * or confirmed dangers (SYNC-25). Throws GoneFromDiscord, ChatPlatformUnavailable.
 */
export async function enqueueFreedSyncs(guildId: string): Promise<void> {
  const facts = await readGuildFacts(guildId);
  const mapped = await readMappedRoles(facts);
  const outdated = (await obstaclesWithin(guildId, refusalRange)).filter((obstacle) => isOutdated(obstacle, facts));
  // Roles or a word's author may have moved.
  await enqueueBlocked(guildId, [...freeIn(facts, mapped), obstacleOfWord, ...outdated]);
}

/** The ids for the guilds in which `enqueueFreedSyncs` would enqueue syncs, by one command. */
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

function freeIn(facts: GuildFacts, mapped: MappedRoles): string[] {
  const enabled = [...mapped.values()].flat().filter((mapping) => mapping.enabled);
  const held = new Set(enabled.flatMap((mapping) => heldRoleIds(mapping, facts)));
  return freeObstacles(facts, [...mapped.keys()], held);
}
