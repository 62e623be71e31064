import { trusted } from 'mongoose';
import { enterLog, type NewEntry } from '../../core/audit/audit-service.js';
import { clock } from '../../lib/clock.js';
import { dayMs } from '../../lib/time.js';
import { leaseLost } from '../../platforms/database/lease.js';
import { push } from '../../platforms/events/outbox.js';
import { announceLookUp } from './look-up-changes.js';
import { type Member, Members, syncedUpTo } from './member-model.js';
import type { PendingSync } from './member-sync-fields.js';
import { claimMs } from './pending-syncs.js';

// The stored data about a member's kick for a restriction (RESTR-11).

type Kicked = Pick<Member, 'guildId' | 'chatUserId'>;

/** Records that a member is notified of their kick now; false if that happened within the last day. */
export async function noteKickTold({ guildId, chatUserId }: Kicked): Promise<boolean> {
  const now = clock.now();
  const lately = trusted({ $not: { $gt: new Date(now.getTime() - dayMs) } });
  return (await Members.update({ guildId, chatUserId, kickToldAt: lately }, { $set: { kickToldAt: now } })) !== null;
}

/**
 * Before a kick, stores its log entry and enqueues a sync unless one is pending. So the member's next sync finds a
 * crashed process's action. Throws Conflict `lease_lost` if the member was synced under a later lease.
 */
export async function beginKick(
  { guildId, chatUserId }: Kicked,
  { entry, pending, fence }: { entry: NewEntry; pending: PendingSync; fence: number },
): Promise<void> {
  const whom = { guildId, chatUserId, ...syncedUpTo(fence) };
  const begun = { kicking: entry, syncFence: fence };
  const enqueued = { owedSync: { ...pending, dueAt: new Date(clock.epochMs() + claimMs) } };
  const free = { ...whom, owedSync: trusted({ $exists: false }) };
  if ((await Members.update(free, { $set: { ...begun, ...enqueued } })) !== null) return;
  if ((await Members.update(whom, { $set: begun })) === null) throw leaseLost(`sync:${guildId}:${chatUserId}`);
}

/**
 * After a kick, moves `beginKick`'s entry to the log and completes their pending sync. If they are known to be back,
 * that sync stays, since their return enqueued it. Does nothing if another process has done this.
 */
export async function endKick({ guildId, chatUserId }: Kicked, entry: NewEntry): Promise<void> {
  const kicked = { guildId, chatUserId, 'kicking.id': entry.id };
  const back = { present: true, presenceAt: trusted({ $gt: entry.createdAt }) };
  const unset = { kickToldAt: 1 as const, kicking: 1 as const };
  const gone = {
    $set: { present: false, presenceAt: clock.now() },
    $unset: { ...unset, owedSync: 1 as const, traitsDueAt: 1 as const },
    ...push(entry),
  };
  const ended =
    (await Members.update({ ...kicked, $nor: [back] }, gone)) ??
    (await Members.update(kicked, { $unset: unset, ...push(entry) }));
  if (ended === null) return;
  announceLookUp(guildId, ended.gameUserId);
  await enterLog(entry);
}
