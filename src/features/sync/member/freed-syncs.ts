import { readGuildFacts } from '../../../platforms/discord/guild-facts.js';
import { readMappedRoles } from '../../mappings/mapped-roles.js';
import { heldRoleIds } from '../../mappings/mapping-status.js';
import { enqueueBlocked, obstaclesWithin } from '../../members/blocked-syncs.js';
import { freeObstacles } from '../plan/plan.js';
import { isOutdated, refusalRange } from '../plan/refused-parts.js';

/**
 * The roles of a guild, the bot's place among them or what is accepted of them may have changed: owes a sync to those
 * for whom something was due that stands free now (SYNC-25). Throws GoneFromDiscord, ChatPlatformUnavailable.
 */
export async function enqueueFreedSyncs(guildId: string): Promise<void> {
  const facts = await readGuildFacts(guildId);
  const mapped = await readMappedRoles(facts);
  const enabled = [...mapped.values()].flat().filter((mapping) => mapping.enabled);
  const held = new Set(enabled.flatMap((mapping) => heldRoleIds(mapping, facts)));
  const outdated = (await obstaclesWithin(guildId, refusalRange)).filter((obstacle) => isOutdated(obstacle, facts));
  await enqueueBlocked(guildId, [...freeObstacles(facts, [...mapped.keys()], held), ...outdated]);
}
