import { trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { Gathered } from '../../lib/gathered.js';
import { newId } from '../../lib/ids.js';
import { currentLogContext } from '../../lib/logger.js';
import { Signal } from '../../lib/signal.js';
import { duplicatesAmong } from '../../platforms/database/duplicate-key.js';
import type { OutboxEntry } from '../../platforms/events/outbox.js';
import type { Actor } from '../actors/actor.js';
import type { AuditAction } from './audit-actions.js';
import { type AuditEntry, AuditLog, type Changes, newestFirst, platformLog } from './audit-model.js';

export type { AuditEntry, Changes } from './audit-model.js';

const entryStored = new Signal<[entry: AuditEntry]>();

/** Calls `listener` with each entry that this process puts into the log, once it is stored. It must not throw. */
export const onAuditEntry = entryStored.on;

/** What a log entry tells. `guildId: null` when it belongs to no guild. */
export interface ToldChange {
  guildId: string | null;
  actor: Actor;
  action: AuditAction;
  target: AuditEntry['target'];
  changes?: Changes;
}

/** A log entry as the outbox of the document that changes carries it. */
export type NewEntry = OutboxEntry<AuditEntry>;

/**
 * The log entry of a change that is about to be made, with the id of the request, interaction or job that makes it. The
 * write that makes the change stores it (`push`, or `outbox` of a new document), so that no crash comes between
 * (LOG-2); then `enterLog` puts it into the log.
 */
export function newEntry({ guildId, actor, action, target, changes }: ToldChange): NewEntry {
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

/** Puts entries whose change is made into the log, before the change is answered. */
export async function enterLog(...entries: readonly NewEntry[]): Promise<void> {
  if (entries.length > 0) await insertMissing(entries.map(({ entry }) => entry));
}

/** Puts entries into the log that documents still carry, of which a killed process may have left some out. */
export async function keepEntries(carried: readonly OutboxEntry[]): Promise<void> {
  const there = await AuditLog.acrossGuilds.distinct('_id', { _id: trusted({ $in: carried.map(({ id }) => id) }) });
  const known = new Set<string>(there);
  // Only `newEntry` makes them.
  const missing = carried.filter(({ id }) => !known.has(id)).map(({ entry }) => entry as AuditEntry);
  if (missing.length > 0) await insertMissing(missing);
}

/** How many entries one command stores. */
const entriesPerWrite = 100;

/** Stores entries, and says of each whether it was not there: the relay, or another process, may have been first. */
const writing = new Gathered<AuditEntry, boolean>(
  async (entries) => {
    const there = await AuditLog.acrossGuilds
      .insertMany([...entries], { ordered: false })
      .then((): number[] => [], duplicatesAmong);
    return entries.map((_, index) => !there.includes(index));
  },
  { most: entriesPerWrite, atOnce: 4 },
);

/** Whoever stores an entry tells of it. */
async function insertMissing(entries: readonly AuditEntry[]): Promise<void> {
  const isNew = await Promise.all(entries.map((entry) => writing.add(entry)));
  const stored = entries.filter((_, index) => isNew[index]);
  for (const entry of stored) entryStored.emit(entry);
}

/** Writes a log entry for an act that changes no document of ours, once it is done. */
export async function recordAudit(told: ToldChange): Promise<void> {
  await enterLog(newEntry(told));
}

/** The newest entries of a guild, at most `limit`. */
export function latestEntries(guildId: string, limit: number): Promise<AuditEntry[]> {
  return AuditLog.find({ guildId }, { sort: newestFirst, limit });
}
