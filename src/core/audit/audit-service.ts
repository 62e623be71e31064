import { trusted } from 'mongoose';
import { Batcher } from '../../lib/batcher.js';
import { clock } from '../../lib/clock.js';
import { newId } from '../../lib/ids.js';
import { currentLogContext } from '../../lib/logger.js';
import { Signal } from '../../lib/signal.js';
import { insertAllDirectly } from '../../platforms/database/direct-writes.js';
import type { OutboxEntry } from '../../platforms/events/outbox.js';
import type { Actor } from '../actors/actor.js';
import type { AuditAction } from './audit-actions.js';
import { type AuditEntry, AuditLog, type Changes, newestFirst, platformLog } from './audit-model.js';

export type { AuditEntry, Changes } from './audit-model.js';

const entryStored = new Signal<[entry: AuditEntry]>();

/** Calls `listener` with each entry that this process stores in the log. It must not throw. */
export const onAuditEntry = entryStored.on;

/** A log entry's content. `guildId: null` means outside guilds. */
export interface AuditedChange {
  guildId: string | null;
  actor: Actor;
  action: AuditAction;
  target: AuditEntry['target'];
  changes?: Changes;
}

/** A log entry in the changed document's outbox. */
export type NewEntry = OutboxEntry<AuditEntry>;

/**
 * Makes the log entry for a change about to happen, with the id of its request, interaction or job. The change's write
 * also stores the entry (`push`, or a new document's `outbox`), so a crash can't separate them (LOG-2). Then `enterLog`
 * copies it to the log.
 */
export function newEntry({ guildId, actor, action, target, changes }: AuditedChange): NewEntry {
  const { requestId, interactionId, jobId } = currentLogContext();
  const origin = requestId ?? interactionId ?? jobId;
  const at = clock.now();
  const entry: AuditEntry = {
    _id: newId('log', at),
    guildId: guildId ?? platformLog,
    at,
    actor: { kind: actor.kind, id: actor.id, name: actor.name },
    action,
    target,
    ...(changes !== undefined && { changes }),
    ...(origin !== undefined && { requestId: origin }),
  };
  return { id: entry._id, createdAt: at, guildId: entry.guildId, entry };
}

/** Copies a completed change's entries to the log, before the change is answered. */
export async function enterLog(...entries: readonly NewEntry[]): Promise<void> {
  if (entries.length > 0) await insertMissing(entries.map(({ entry }) => entry));
}

/** Copies entries to the log that are still in documents, because a killed process may have missed some. */
export async function keepEntries(carried: readonly OutboxEntry[]): Promise<void> {
  const there = await AuditLog.acrossGuilds.distinct('_id', { _id: trusted({ $in: carried.map(({ id }) => id) }) });
  const known = new Set<string>(there);
  // Only `newEntry` creates such entries.
  const missing = carried.filter(({ id }) => !known.has(id)).map(({ entry }) => entry as AuditEntry);
  if (missing.length > 0) await insertMissing(missing);
}

const entriesPerWrite = 100;

/** Stores entries and returns for each whether it was new: the relay or another process may have been first. */
const writing = new Batcher<AuditEntry, boolean>(
  async (entries) => {
    const there = await insertAllDirectly(AuditLog.acrossGuilds, entries);
    return entries.map((_, index) => !there.includes(index));
  },
  { most: entriesPerWrite, atOnce: 4 },
);

/** Only the process that stores an entry announces it. */
async function insertMissing(entries: readonly AuditEntry[]): Promise<void> {
  const isNew = await Promise.all(entries.map((entry) => writing.add(entry)));
  const stored = entries.filter((_, index) => isNew[index]);
  for (const entry of stored) entryStored.emit(entry);
}

/** Logs an action after it is done, if it changes none of our documents. */
export async function recordAudit(change: AuditedChange): Promise<void> {
  await enterLog(newEntry(change));
}

export function latestEntries(guildId: string, limit: number): Promise<AuditEntry[]> {
  return AuditLog.find({ guildId }, { sort: newestFirst, limit });
}
