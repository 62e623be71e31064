import { Readable } from 'node:stream';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { entriesWhere, indexFor, type LogFilter, type LogOwner } from './audit-filter.js';
import { type AuditEntry, AuditLog, newestFirst } from './audit-model.js';
import { csvLine, formulaSafe } from './csv-cell.js';
import { actorShown, type OpenedActors } from './sealed-actors.js';

const columns = [
  'id',
  'at',
  'actorKind',
  'actorId',
  'actorName',
  'action',
  'targetKind',
  'targetId',
  'targetName',
  'changes',
  'requestId',
];

/** Entries in memory at a time: few enough for V8 to free cheaply. A larger number makes the export slower. */
const batchSize = 200;

/**
 * A guild's entries that match a filter, newest first, as CSV (RFC 4180) with a header line. The stream reads from the
 * database on demand, as of its start. Destroying the stream stops the query; a database failure destroys the stream
 * with that error. `opened`: the erased people visible to the reader.
 */
export async function exportEntries(
  guild: LogOwner,
  filter: LogFilter,
  opened: OpenedActors = new Map(),
): Promise<Readable> {
  const now = clock.now();
  const { to = now } = filter;
  const until = to < now ? to : new Date(now.getTime() + 1);
  const options = { sort: newestFirst, batchSize, hint: indexFor(filter) };
  const cursor = AuditLog.cursor(entriesWhere(guild, { ...filter, to: until }, now), options);
  // The first read happens before the answer starts, so an unreachable database gives a refusal and not a broken file.
  await cursor.hasNext();
  const stream = Readable.from(csvOf(cursor, opened));
  stream.once('close', () => {
    cursor.close().catch((error: unknown) => logger.warn({ err: error }, 'export cursor not closed'));
  });
  return stream;
}

interface Batches {
  hasNext(): Promise<boolean>;
  readBufferedDocuments(): AuditEntry[];
}

async function* csvOf(entries: Batches, opened: OpenedActors): AsyncGenerator<string> {
  yield csvLine(columns);
  let next = entries.hasNext();
  while (await next) {
    const batch = entries.readBufferedDocuments();
    // The database reads ahead while this batch is written. A failure surfaces in the next round, if there is one.
    next = entries.hasNext();
    next.catch(() => undefined);
    yield batch.map((entry) => csvLine(cellsOf(entry, actorShown(entry, opened)))).join('');
  }
}

function cellsOf(
  { _id, at, action, target, changes, requestId = '' }: AuditEntry,
  actor: AuditEntry['actor'],
): string[] {
  return [
    _id,
    at.toISOString(),
    actor.kind,
    formulaSafe(actor.id),
    formulaSafe(actor.name),
    action,
    target.kind,
    formulaSafe(target.id),
    formulaSafe(target.name ?? ''),
    changes === undefined ? '' : JSON.stringify(changes),
    formulaSafe(requestId),
  ];
}
