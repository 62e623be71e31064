import { setTimeout as delay } from 'node:timers/promises';
import { logger } from '../../lib/logger.js';
import { isDatabaseTrouble } from '../../platforms/database/database-trouble.js';
import { oweCatchUp } from './catch-up-debts.js';

const retryMs = 2_000;
/** The guilds that have missed an event which could not be stored, until it is stored that they have. */
const missed = new Set<string>();

/** Stores what a gateway event says, again and again while the database is away. For what only that event says. */
export async function untilStored<T>(store: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await store();
    } catch (error) {
      if (!isDatabaseTrouble(error)) throw error;
      logger.warn({ err: error }, 'A gateway event is not stored yet');
    }
    await delay(retryMs, undefined, { ref: false });
  }
}

/**
 * Stores what a gateway event says of a guild. While the database is away the event is lost, its guild is owed a catch-up
 * once the database is back, and the error is thrown. After a restart meanwhile every guild is owed one.
 */
export async function orCatchUp<T>(guildId: string, store: () => Promise<T>): Promise<T> {
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
    // What is missed from here on is owed anew.
    missed.delete(guildId);
    await oweCatchUp([guildId]);
  }).catch((err: unknown) => logger.error({ err, guildId }, 'A catch-up is not owed'));
}
