import { trusted } from 'mongoose';
import { enterLog, type NewEntry } from '../../core/audit/audit-service.js';
import { clock } from '../../lib/clock.js';
import { dayMs } from '../../lib/time.js';
import { leaseLost } from '../../platforms/database/lease.js';
import { push } from '../../platforms/events/outbox.js';
import { type Member, Members, syncedUpTo } from './member-model.js';
import type { OwedSync } from './member-sync-fields.js';
import { claimMs } from './owed-syncs.js';

// What is kept with a member of a kick for a restriction (RESTR-11).

type Kicked = Pick<Member, 'guildId' | 'chatUserId'>;

/** Notes that somebody is told of their kick now; false when they were within the last day. */
export async function noteKickTold({ guildId, chatUserId }: Kicked): Promise<boolean> {
  const now = clock.now();
  const lately = trusted({ $not: { $gt: new Date(now.getTime() - dayMs) } });
  return (await Members.update({ guildId, chatUserId, kickToldAt: lately }, { $set: { kickToldAt: now } })) !== null;
}

/**
 * Somebody is about to be kicked: keeps the log entry that tells of it, and owes the sync unless one is owed already, so
 * that whoever syncs them next finds what a killed process has done. Throws Conflict `lease_lost` when somebody has
 * synced them under a later lease.
 */
export async function beginKick(
  { guildId, chatUserId }: Kicked,
  { entry, debt, fence }: { entry: NewEntry; debt: OwedSync; fence: number },
): Promise<void> {
  const whom = { guildId, chatUserId, ...syncedUpTo(fence) };
  const begun = { kicking: entry, syncFence: fence };
  const owed = { owedSync: { ...debt, dueAt: new Date(clock.epochMs() + claimMs) } };
  const free = { ...whom, owedSync: trusted({ $exists: false }) };
  if ((await Members.update(free, { $set: { ...begun, ...owed } })) !== null) return;
  if ((await Members.update(whom, { $set: begun })) === null) throw leaseLost(`sync:${guildId}:${chatUserId}`);
}

/**
 * Somebody was kicked, which the entry that `beginKick` kept tells: what they were owed here is paid by that, unless they
 * are known to be there again, whose coming owes them a sync of its own. Does nothing when another has told of it.
 */
export async function endKick({ guildId, chatUserId }: Kicked, entry: NewEntry): Promise<void> {
  const kicked = { guildId, chatUserId, 'kicking.id': entry.id };
  const back = { present: true, presenceAt: trusted({ $gt: entry.createdAt }) };
  const told = { kickToldAt: 1 as const, kicking: 1 as const };
  const gone = {
    $set: { present: false, presenceAt: clock.now() },
    $unset: { ...told, owedSync: 1 as const, traitsDueAt: 1 as const },
    ...push(entry),
  };
  const ended =
    (await Members.update({ ...kicked, $nor: [back] }, gone)) ??
    (await Members.update(kicked, { $unset: told, ...push(entry) }));
  if (ended !== null) await enterLog(entry);
}
