import { setTimeout as delay } from 'node:timers/promises';
import { logger } from '../../lib/logger.js';
import { isDatabaseTrouble } from '../../platforms/database/database-trouble.js';
import { enqueueReconciliation } from './pending-reconciliations.js';

const retryMs = 2_000;
/** Guilds with a lost event and without a stored mark for a reconciliation yet. */
const missed = new Set<string>();

/** Stores a gateway event, with retries while the database is unreachable. For data found only in that event. */
export async function untilStored<T>(store: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await store();
    } catch (error) {
      if (!isDatabaseTrouble(error)) throw error;
      logger.warn({ err: error }, 'gateway event not stored yet');
    }
    await delay(retryMs, undefined, { ref: false });
  }
}

/**
 * Stores a guild's gateway event. If the database is unreachable, throws the error and marks the guild for a
 * reconciliation. A restart reconciles every guild anyway.
 */
export async function orReconcile<T>(guildId: string, store: () => Promise<T>): Promise<T> {
  try {
    return await store();
  } catch (error) {
    if (isDatabaseTrouble(error)) void noteMissed(guildId);
    throw error;
  }
}

async function noteMissed(guildId: string): Promise<void> {
  if (missed.has(guildId)) return;
  missed.add(guildId);
  await untilStored(async () => {
    // A later miss marks the guild again.
    missed.delete(guildId);
    await enqueueReconciliation([guildId]);
  }).catch((err: unknown) => logger.error({ err, guildId }, 'catch-up not stored'));
}
