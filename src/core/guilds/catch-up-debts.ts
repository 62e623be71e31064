import { trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { hourMs } from '../../lib/time.js';
import { type Guild, GuildRecord } from './guild-model.js';

// A guild is owed a catch-up while `catchUpSince` is there: something may have been missed up to then. It is paid by a
// whole resync that began later and was completed.

/** What the gateway tells at once, at a start or when the bot comes, is stored by then. */
export const graceMs = 10_000;
/** When to try again if nothing came of it: an admin has cancelled the resync, say. */
const retryMs = hourMs;

/** Something may have been missed in these guilds until now. */
export async function oweCatchUp(guildIds: readonly string[]): Promise<void> {
  await GuildRecord.updateMany({ _id: trusted({ $in: [...guildIds] }) }, { $set: catchUpFrom(clock.now(), graceMs) });
}

/** The fields that owe a guild a catch-up, to be part of the write (`$set`) that makes it necessary. */
export function catchUpFrom(since: Date, afterMs = 0) {
  return { catchUpSince: since, catchUpAt: new Date(since.getTime() + afterMs) };
}

/** Takes the guild whose catch-up has been due longest; no other process takes it within the next hour. */
export function takeGuildToCatchUp(now: Date): Promise<Guild | null> {
  return GuildRecord.findOneAndUpdate(
    { catchUpAt: trusted({ $lte: now }), present: true, state: 'active' },
    { $set: { catchUpAt: new Date(now.getTime() + retryMs) } },
    { sort: { catchUpAt: 1 }, hint: { catchUpAt: 1 }, returnDocument: 'after' },
  )
    .lean<Guild | null>()
    .exec();
}

/** A catch-up that was taken has to wait until `at`. */
export async function postponeCatchUp(guildId: string, at: Date): Promise<void> {
  await GuildRecord.updateOne({ _id: guildId, catchUpAt: trusted({ $exists: true }) }, { $set: { catchUpAt: at } });
}

/** A guild has caught up with what was missed until `until`; what was missed later is due at once. */
export async function noteCaughtUp(guildId: string, until: Date): Promise<void> {
  const unlessNewer = (field: unknown) => ({
    $cond: [{ $gt: ['$catchUpSince', until] }, field, '$$REMOVE'],
  });
  await GuildRecord.updateOne(
    { _id: guildId },
    [{ $set: { caughtUpAt: until, catchUpAt: unlessNewer(clock.now()), catchUpSince: unlessNewer('$catchUpSince') } }],
    { updatePipeline: true },
  );
}
