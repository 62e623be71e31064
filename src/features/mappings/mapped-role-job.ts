import { clock } from '../../lib/clock.js';
import { ChatPlatformUnavailable, NotFound } from '../../lib/errors.js';
import { inPieces } from '../../lib/in-pieces.js';
import { logger } from '../../lib/logger.js';
import { Signal } from '../../lib/signal.js';
import { minuteMs } from '../../lib/time.js';
import { type GuildFacts, keptGuildFacts, readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { isRefusedByDiscord } from '../../platforms/discord/rest/call-outcome.js';
import { keyed } from '../../platforms/jobs/keyed.js';
import { hasRoleNews, logMappedRoles } from './mapped-role-log.js';
import {
  type ComparedRoles,
  findRoleStates,
  keyOfRoles,
  noteRolesKey,
  noteRolesKeys,
  rolesKeys,
} from './mapped-role-state.js';
import { type MappedGuild, readMappedGuilds } from './mapped-roles.js';

/**
 * Wait before roles are read. Dragging a role once sends an event for each moved role, and between them the order is
 * wrong.
 */
const settleMs = 1_000;
const retryMs = minuteMs;

const rolesSettled = new Signal<[guildId: string], Promise<void>>();

/** Calls `listener` after the bot's rights over a guild's roles may have changed and the log has been written. */
export const onMappedRolesSettled = rolesSettled.on;

const rolesCompared = new Signal<[guilds: readonly MappedGuild[]], Promise<string[]>>();

/** Calls `listener` with guilds whose roles may have changed. It returns those that must be compared one by one. */
export const onRolesCompared = rolesCompared.on;

const comparisonOf = keyed({
  name: 'log-mapped-roles',
  concurrency: 4,
  async run(guildId) {
    try {
      const rolesKey = keyOfRoles(await readGuildFacts(guildId));
      await logMappedRoles(guildId);
      await Promise.all(rolesSettled.emit(guildId));
      await noteRolesKey(guildId, rolesKey);
    } catch (error) {
      // As after a kick: the bot's return begins another comparison.
      if (isRefusedByDiscord(error) || error instanceof NotFound) return;
      comparisonOf.wakeAt(guildId, new Date(clock.epochMs() + retryMs));
      if (!(error instanceof ChatPlatformUnavailable)) throw error;
    }
  },
});

/** Schedules comparing a guild's roles with its log, because roles or the bot's own may have changed. */
export function mappedRolesMayDiffer(guildId: string): void {
  comparisonOf.wakeAt(guildId, new Date(clock.epochMs() + settleMs));
}

const guildsPerRead = 1_000;
/** Guilds whose roles are compared together: a batch reads all their mappings, and blocks the thread for some. */
const guildsPerBatch = 100;

/**
 * Schedules a comparison for those among these guilds whose roles changed unseen. Called when the gateway sends whole
 * guilds.
 */
export async function mappedRolesDifferAmong(guildIds: readonly string[]): Promise<void> {
  for (const some of inPieces(guildIds, guildsPerRead)) {
    const keys = await rolesKeys(some);
    for (const few of inPieces(some, guildsPerBatch)) {
      const { comparisons, alone } = compareRoles(few, keys);
      alone.push(...(await compareTogether(comparisons)));
      for (const guildId of alone) mappedRolesMayDiffer(guildId);
    }
  }
}

interface Comparison extends ComparedRoles {
  facts: GuildFacts;
}

/** The guilds with other roles than stored; `alone`: those that the gateway's cache does not have. */
function compareRoles(guildIds: readonly string[], keys: ReadonlyMap<string, string | undefined>) {
  const comparisons: Comparison[] = [];
  const alone: string[] = [];
  for (const guildId of guildIds) {
    const facts = keptGuildFacts(guildId);
    if (facts === undefined) {
      alone.push(guildId);
      continue;
    }
    const [rolesKey, before] = [keyOfRoles(facts), keys.get(guildId)];
    if (rolesKey !== before) comparisons.push({ guildId, rolesKey, before, facts });
  }
  return { comparisons, alone };
}

/**
 * Compares many guilds with a few commands. Most have no news, as when a version with another key first starts. Returns
 * those that must be compared one by one.
 */
async function compareTogether(comparisons: readonly Comparison[]): Promise<string[]> {
  if (comparisons.length === 0) return [];
  try {
    const guildIds = comparisons.map(({ guildId }) => guildId);
    const [guilds, states] = await Promise.all([
      readMappedGuilds(comparisons.map(({ facts }) => facts)),
      findRoleStates(guildIds),
    ]);
    const news = guilds.filter((guild) => hasRoleNews(guild, states.get(guild.facts.guildId) ?? null));
    const freed = await Promise.all(rolesCompared.emit(guilds));
    const alone = new Set([...news.map(({ facts }) => facts.guildId), ...freed.flat()]);
    await noteRolesKeys(comparisons.filter(({ guildId }) => !alone.has(guildId)));
    return [...alone];
  } catch (err) {
    logger.warn({ err, guilds: comparisons.length }, 'mapped roles not checked in a batch');
    return comparisons.map(({ guildId }) => guildId);
  }
}
