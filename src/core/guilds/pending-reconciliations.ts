import { trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { hourMs } from '../../lib/time.js';
import { type Guild, GuildRecord } from './guild-model.js';

// A guild needs a reconciliation while `catchUpSince` is set: events up to that time may have been missed. A completed
// whole resync that began later clears it.

/** Delay until the events of a start or of the bot's arrival are stored. */
export const graceMs = 10_000;
/** Delay before a retry if the reconciliation was not completed, for example because an admin cancelled the resync. */
const retryMs = hourMs;

/** Marks guilds as having possibly missed events until now. */
export async function enqueueReconciliation(guildIds: readonly string[]): Promise<void> {
  await GuildRecord.updateMany({ _id: trusted({ $in: [...guildIds] }) }, { $set: reconcileFrom(clock.now(), graceMs) });
}

/** The fields that mark a guild for reconciliation, for the write (`$set`) that makes it necessary. */
export function reconcileFrom(since: Date, afterMs = 0) {
  return { catchUpSince: since, catchUpAt: new Date(since.getTime() + afterMs) };
}

/** Claims the guild with the oldest due reconciliation. No other process claims it within the next hour. */
export function claimGuildToReconcile(now: Date): Promise<Guild | null> {
  return GuildRecord.findOneAndUpdate(
    { catchUpAt: trusted({ $lte: now }), present: true, state: 'active' },
    { $set: { catchUpAt: new Date(now.getTime() + retryMs) } },
    { sort: { catchUpAt: 1 }, hint: { catchUpAt: 1 }, returnDocument: 'after' },
  )
    .lean<Guild | null>()
    .exec();
}

export async function postponeReconciliation(guildId: string, at: Date): Promise<void> {
  await GuildRecord.updateOne({ _id: guildId, catchUpAt: trusted({ $exists: true }) }, { $set: { catchUpAt: at } });
}

/** Marks a guild as caught up until `until`; later gaps become due immediately. */
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
