import { logger } from '../../lib/logger.js';
import { minuteMs } from '../../lib/time.js';
import { standing } from '../../platforms/jobs/standing.js';
import { GuildRecord } from './guild-model.js';

/** Discord's member counts since the last write. */
const changed = new Map<string, number>();
const guildsAtOnce = 1_000;

/** Notes a guild's current member count from Discord. It is stored within a minute, so many joins cost one write. */
export function noteMemberCount(guildId: string, memberCount: number): void {
  changed.set(guildId, memberCount);
}

/** Stores the changed counts. A failed write is retried unless a newer count is known. */
export async function storeMemberCounts(): Promise<void> {
  const some = [...changed].slice(0, guildsAtOnce);
  if (some.length === 0) return;
  for (const [guildId] of some) changed.delete(guildId);
  const writes = some.map(([_id, memberCount]) => ({
    updateOne: { filter: { _id, present: true }, update: { $set: { memberCount } } },
  }));
  try {
    await GuildRecord.collection.bulkWrite(writes as never, { ordered: false });
  } catch (err) {
    logger.warn({ err }, 'member counts not stored yet');
    for (const [guildId, memberCount] of some) if (!changed.has(guildId)) changed.set(guildId, memberCount);
    return;
  }
  if (changed.size > 0) await storeMemberCounts();
}

standing({
  name: 'store-member-counts',
  everyMs: minuteMs,
  atStart: false,
  inEachProcess: true,
  run: storeMemberCounts,
});
