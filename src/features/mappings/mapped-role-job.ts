import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { AppError, ChatPlatformUnavailable } from '../../lib/errors.js';
import { snowflake } from '../../lib/ids.js';
import { inPieces } from '../../lib/in-pieces.js';
import { Signal } from '../../lib/signal.js';
import { minuteMs } from '../../lib/time.js';
import { keptGuildFacts, readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { defineJob } from '../../platforms/jobs/define-job.js';
import { wakeAt } from '../../platforms/jobs/wake.js';
import { logMappedRoles } from './mapped-role-log.js';
import { keyOfRoles, noteRolesKey, rolesKeys } from './mapped-role-state.js';

/**
 * Wait before roles are read. One drag of a role sends an event for each moved role, and between them the order is
 * wrong.
 */
const settleMs = 1_000;
const retryMs = minuteMs;

const rolesSettled = new Signal<[guildId: string], Promise<void>>();

/** Calls `listener` after the bot's rights over a guild's roles may have changed and the log has been written. */
export const onMappedRolesSettled = rolesSettled.on;

const job = defineJob({
  name: 'log-mapped-roles',
  data: z.strictObject({ guildId: snowflake }),
  concurrency: 4,
  async run({ guildId }) {
    try {
      const rolesKey = keyOfRoles(await readGuildFacts(guildId));
      await logMappedRoles(guildId);
      await Promise.all(rolesSettled.emit(guildId));
      await noteRolesKey(guildId, rolesKey);
    } catch (error) {
      const isGone = error instanceof AppError && !(error instanceof ChatPlatformUnavailable);
      if (!isGone) await wakeAt(job, { guildId }, new Date(clock.epochMs() + retryMs));
      if (!(error instanceof ChatPlatformUnavailable)) throw error;
    }
  },
});

/** Schedules a comparison of a guild's roles with its log, because roles or the bot's own may have changed. */
export function mappedRolesMayDiffer(guildId: string): Promise<void> {
  return wakeAt(job, { guildId }, new Date(clock.epochMs() + settleMs));
}

const guildsPerRead = 1_000;

/**
 * Schedules a comparison for those of these guilds whose roles changed unseen. Called when the gateway sends whole
 * guilds.
 */
export async function mappedRolesDifferAmong(guildIds: readonly string[]): Promise<void> {
  for (const some of inPieces(guildIds, guildsPerRead)) {
    const keys = await rolesKeys(some);
    const isKnown = (guildId: string): boolean => {
      const facts = keptGuildFacts(guildId);
      return facts !== undefined && keyOfRoles(facts) === keys.get(guildId);
    };
    await Promise.all(some.filter((guildId) => !isKnown(guildId)).map(mappedRolesMayDiffer));
  }
}
