import { trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { hourMs, minuteMs } from '../../lib/time.js';
import { pending } from '../../platforms/database/pending.js';
import { type Guild, GuildRecord } from './guild-model.js';

// A guild needs a reconciliation while `catchUpSince` is set: events up to that time may have been missed. A completed
// whole resync that began later clears it.

/** Delay until the events of a start or of the bot's arrival are stored. */
export const graceMs = 10_000;

const reconciliations = pending<Guild>(GuildRecord, 'catchUpAt', {
  what: 'catch-up of a guild',
  index: { catchUpAt: 1 },
  // The time for its resync, which an admin may cancel.
  claimMs: hourMs,
  // While a resync is running that began too early.
  backoff: { firstMs: minuteMs, longestMs: minuteMs },
});

/** Marks guilds as having possibly missed events until now. */
export async function enqueueReconciliation(guildIds: readonly string[]): Promise<void> {
  await GuildRecord.updateMany({ _id: trusted({ $in: [...guildIds] }) }, { $set: reconcileFrom(clock.now(), graceMs) });
}

/** The fields that mark a guild for reconciliation, for the write (`$set`) that makes it necessary. */
export function reconcileFrom(since: Date, afterMs = 0) {
  return { catchUpSince: since, catchUpAt: new Date(since.getTime() + afterMs) };
}

/** Claims the guild with the oldest due reconciliation. No other process claims it within the next hour. */
export function claimGuildToReconcile(): Promise<Guild | null> {
  return reconciliations.claimNext({ where: { present: true, state: 'active' } });
}

/** Leaves a claimed reconciliation for a minute later, since another resync is running in the guild. */
export async function postponeReconciliation(guild: Guild): Promise<void> {
  await reconciliations.retryLater(guild);
}

/** Marks a guild as reconciled until `until`; later gaps become due immediately. */
export async function noteReconciled(guildId: string, until: Date): Promise<void> {
  const unlessNewer = (field: unknown) => ({
    $cond: [{ $gt: ['$catchUpSince', until] }, field, '$$REMOVE'],
  });
  await GuildRecord.updateOne(
    { _id: guildId },
    [{ $set: { caughtUpAt: until, catchUpAt: unlessNewer(clock.now()), catchUpSince: unlessNewer('$catchUpSince') } }],
    { updatePipeline: true },
  );
}
