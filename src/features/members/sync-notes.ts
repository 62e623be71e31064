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
  /** Absent in a guild in observe mode. */
  record?: SyncRecord;
  /** The events and log entries of its changes, stored in the same write. */
  outbox: readonly OutboxItem[];
  /** The ranks used, unless that leaves doubts; the state left; and the parts restored after a change by others. */
  basis?: { wentBy: WentBy | undefined; left: Left | undefined; restored: readonly string[] };
  /** The obstacles that blocked the rest. */
  blockedBy: readonly string[];
  refused?: readonly RefusedPart[];
  /** The nickname that Discord was asked for, where it has made another from it. */
  askedNickname?: string | undefined;
  /** In a guild in observe mode: whether the member differs, and whether otherwise than before. */
  observed?: { differs: boolean; isNew: boolean };
  /** Whether the nickname is one from before Rolelink's, put back: it is not ours. */
  isTakenBack?: boolean;
  /** The pending sync that this one has seen and completes. */
  completes?: PendingSync | undefined;
  lease: Pick<Lease, 'fence'>;
}

/**
 * Stores one sync's record; the last ten are kept. A member unknown to the guild is added. Throws Conflict `lease_lost`
 * if another sync for the member was recorded under a later lease: that one has reported this.
 */
export async function noteSync(guildId: string, person: DiscordPerson, note: SyncNote): Promise<void> {
  const { record, basis, outbox, completes, lease } = note;
  const { fence } = lease;
  const { chatUserId } = person;
  const pushes = { ...pushed(record, basis?.restored), ...pushItems(outbox) };
  const isMore = Object.keys(pushes).length > 0;
  const change = { ...written(fieldsAfter(person, note)), ...(isMore && { $push: pushes }) };
  const isPaid =
    completes !== undefined && (await completeSync({ guildId, chatUserId, owedSync: completes }, fence, change));
  if (!isPaid && !(await updateSynced({ guildId, chatUserId }, fence, change))) {
    const made = { $setOnInsert: { ...newcomer(person), present: true } };
    await upsertSynced({ guildId, chatUserId }, fence, { ...change, ...made });
  }
  announceStored(outbox);
}

function pushed(record: SyncRecord | undefined, parts: readonly string[] = []) {
  if (record === undefined) return {};
  const restored = parts.map((what) => ({ what, at: record.at }));
  const list = restored.length > 0 && { restored: { $each: restored, $slice: -restoredKept } };
  return { ...pushSync(record), ...list };
}

const pushItems = (items: readonly OutboxItem[]) => items.length > 0 && { outbox: { $each: [...items] } };

/** The member fields that a sync's result decides; undefined means none. */
type SyncedFields = Pick<
  Member,
  | 'syncFence'
  | 'left'
  | 'wentBy'
  | 'blockedBy'
  | 'refused'
  | 'givenNickname'
  | 'askedNickname'
  | 'formerNickname'
  | 'namelessAs'
  | 'applying'
  | 'kicking'
  | 'contested'
  | 'differs'
>;
type FieldsAfter = { [Field in keyof SyncedFields]?: SyncedFields[Field] | undefined };

/** The stored fields after a sync. A field that is absent stays, and an undefined one is removed. Pure. */
function fieldsAfter(
  { username }: Pick<DiscordPerson, 'username'>,
  { record, basis, blockedBy, refused, observed, askedNickname, isTakenBack, lease: { fence } }: SyncNote,
): FieldsAfter {
  const { nickname } = record ?? {};
  const { left, wentBy } = basis ?? {};
  const isOurs = !isTakenBack && (nickname !== null || askedNickname !== undefined);
  const named = nickname !== undefined && {
    ...{ givenNickname: isOurs ? nickname : undefined, askedNickname },
    namelessAs: nickname === null && askedNickname !== undefined ? username : undefined,
  };
  return {
    // A shown plan stays valid while the difference is the same.
    ...(observed?.isNew !== false && { syncFence: fence }),
    ...(left !== undefined && { left }),
    ...(wentBy !== undefined && { wentBy }),
    blockedBy: blockedBy.length > 0 ? [...blockedBy] : undefined,
    ...(refused !== undefined && { refused: refused.length > 0 ? [...refused] : undefined }),
    ...named,
    ...(isTakenBack && { formerNickname: undefined }),
    ...{ applying: undefined, kicking: undefined, contested: undefined },
    differs: observed?.differs === true ? true : undefined,
  };
}

/** The update that makes these fields so. Pure. */
function written(fields: FieldsAfter): Pick<UpdateQuery<Member>, '$set' | '$unset'> {
  const entries = Object.entries(fields);
  return {
    $set: Object.fromEntries(entries.filter(([, value]) => value !== undefined)),
    $unset: Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [[name, 1]] : []))),
  };
}

/** A sync's write to a known member. Returns false if the member is unknown or was synced under a later lease. */
function updateSynced(
  { guildId, chatUserId }: Pick<Member, 'guildId' | 'chatUserId'>,
  fence: number,
  change: UpdateQuery<Member>,
): Promise<boolean> {
  return updateOneDirectly(Members.acrossGuilds, { guildId, chatUserId, ...syncedUpTo(fence) }, change);
}

/**
 * A sync's write to a member, which adds an unknown one. Throws Conflict `lease_lost` if the member was synced under a
 * later lease.
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
