import type { UpdateQuery } from 'mongoose';
import { updateOneDirectly } from '../../platforms/database/direct-writes.js';
import { isDuplicateKey } from '../../platforms/database/duplicate-key.js';
import { type Lease, leaseLost } from '../../platforms/database/lease.js';
import type { DiscordPerson } from '../../platforms/discord/guild-members.js';
import { announceStored, type OutboxItem } from '../../platforms/events/outbox.js';
import { type Member, Members, newcomer, pushSync, syncedUpTo } from './member-model.js';
import type { Left, PendingSync, RefusedPart, SyncRecord, WentBy } from './member-sync-fields.js';
import { completeSync } from './pending-syncs.js';

/** Maximum times kept at which a sync restored something changed by others. */
const restoredKept = 20;

export interface SyncNote {
  record: SyncRecord;
  /** The events and log entries of its changes, stored in the same write. */
  outbox: readonly OutboxItem[];
  /** The ranks used, unless that leaves doubts; the state left; and the parts restored after a change by others. */
  basis?: { wentBy: WentBy | undefined; left: Left | undefined; restored: readonly string[] };
  /** The obstacles that blocked the rest. */
  blockedBy: readonly string[];
  refused?: readonly RefusedPart[];
  /** The nickname that Discord was asked for, where it has made another of it. */
  askedNickname?: string | undefined;
  /** The pending sync that this one has seen and completes. */
  completes?: PendingSync | undefined;
  lease: Pick<Lease, 'fence'>;
}

/**
 * Stores the record of one sync; the last ten are kept. A member unknown to the guild is added. Throws Conflict
 * `lease_lost` if another sync of the member was recorded under a later lease: that one has reported this.
 */
export async function noteSync(
  guildId: string,
  person: DiscordPerson,
  { record, basis, blockedBy, refused = [], askedNickname, outbox, completes, lease: { fence } }: SyncNote,
): Promise<void> {
  const isTakenAway = record.nickname === null && askedNickname === undefined;
  const isNone = record.nickname === null && askedNickname !== undefined;
  const { chatUserId } = person;
  const { wentBy, left, restored: again = [] } = basis ?? {};
  const restored = again.map((what) => ({ what, at: record.at }));
  const change = {
    $set: {
      syncFence: fence,
      ...(left !== undefined && { left }),
      ...(wentBy !== undefined && { wentBy }),
      ...(blockedBy.length > 0 && { blockedBy: [...blockedBy] }),
      ...(refused.length > 0 && { refused: [...refused] }),
      ...(record.nickname !== undefined && !isTakenAway && { givenNickname: record.nickname }),
      ...(askedNickname !== undefined && { askedNickname }),
      ...(isNone && { namelessAs: person.username }),
    },
    $push: {
      ...pushSync(record),
      ...(outbox.length > 0 && { outbox: { $each: [...outbox] } }),
      ...(restored.length > 0 && { restored: { $each: restored, $slice: -restoredKept } }),
    },
    $unset: {
      applying: 1,
      kicking: 1,
      contested: 1,
      difference: 1,
      ...(blockedBy.length === 0 && { blockedBy: 1 }),
      ...(refused.length === 0 && { refused: 1 }),
      ...(isTakenAway && { givenNickname: 1 }),
      ...(record.nickname !== undefined && askedNickname === undefined && { askedNickname: 1 }),
      ...(record.nickname !== undefined && !isNone && { namelessAs: 1 }),
    },
  };
  const isPaid =
    completes !== undefined && (await completeSync({ guildId, chatUserId, owedSync: completes }, fence, change));
  if (!isPaid && !(await updateSynced({ guildId, chatUserId }, fence, change))) {
    const made = { $setOnInsert: { ...newcomer(person), present: true } };
    await upsertSynced({ guildId, chatUserId }, fence, { ...change, ...made });
  }
  announceStored(outbox);
}

/** A write of a sync to a known member. Returns false if the member is unknown or was synced under a later lease. */
function updateSynced(
  { guildId, chatUserId }: Pick<Member, 'guildId' | 'chatUserId'>,
  fence: number,
  change: UpdateQuery<Member>,
): Promise<boolean> {
  return updateOneDirectly(Members.acrossGuilds, { guildId, chatUserId, ...syncedUpTo(fence) }, change);
}

/**
 * A write of a sync to a member, which adds an unknown one. Throws Conflict `lease_lost` if the member was synced under
 * a later lease.
 */
export async function upsertSynced(
  { guildId, chatUserId }: Pick<Member, 'guildId' | 'chatUserId'>,
  fence: number,
  change: UpdateQuery<Member>,
): Promise<void> {
  try {
    await Members.upsert({ guildId, chatUserId, ...syncedUpTo(fence) }, change);
  } catch (error) {
    // The member is there with a later fence, so that a second one would have been made.
    if (isDuplicateKey(error)) throw leaseLost(`sync:${guildId}:${chatUserId}`);
    throw error;
  }
}
