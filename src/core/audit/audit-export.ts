import { Readable } from 'node:stream';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { entriesWhere, indexFor, type LogFilter, type LogOwner, newerFirst, partsOf } from './audit-filter.js';
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
 * database on demand, and shows the state at its start. Destroying the stream stops the query; a database failure
 * destroys the stream with that error. `opened`: the erased people visible to the reader.
 */
export async function exportEntries(
  guild: LogOwner,
  filter: LogFilter,
  opened: OpenedActors = new Map(),
): Promise<Readable> {
  const now = clock.now();
  const { to = now } = filter;
  const until = to < now ? to : new Date(now.getTime() + 1);
  const cursors = partsOf({ ...filter, to: until }).map((part) => {
    const options = { sort: newestFirst, batchSize, hint: indexFor(part) };
    return AuditLog.cursor(entriesWhere(guild, part, now), options);
  });
  const [first = none, ...others] = cursors;
  const entries = others.reduce<Batches>(merged, first);
  // The first read happens before the answer starts, so an unreachable database gives a refusal and not a broken file.
  await entries.hasNext();
  const stream = Readable.from(csvOf(entries, opened));
  stream.once('close', () => {
    Promise.all(cursors.map((cursor) => cursor.close())).catch((error: unknown) =>
      logger.warn({ err: error }, 'export cursor not closed'),
    );
  });
  return stream;
}

interface Batches {
  hasNext(): Promise<boolean>;
  readBufferedDocuments(): AuditEntry[];
}

const none: Batches = { hasNext: () => Promise.resolve(false), readBufferedDocuments: () => [] };

/** Two entry lists, each newest first, as one; an entry in both comes once. */
function merged(one: Batches, other: Batches): Batches {
  const lists = [one, other].map((source) => ({ source, left: [] as AuditEntry[] }));
  return {
    async hasNext() {
      for (const list of lists)
        if (list.left.length === 0 && (await list.source.hasNext())) list.left = list.source.readBufferedDocuments();
      return lists.some(({ left }) => left.length > 0);
    },
    readBufferedDocuments() {
      const open = lists.filter(({ left }) => left.length > 0);
      // Beyond the shorter batch's end, its list may have newer entries than the other one.
      const oldest = open.map(({ left }) => left.at(-1)).flatMap((entry) => entry ?? []);
      const end = oldest.sort(newerFirst)[0];
      const batch = open.flatMap((list) => {
        const isWithin = (entry: AuditEntry) =>
          end === undefined || newerFirst(entry, end) <= 0 || entry._id === end._id;
        const count = list.left.findIndex((entry) => !isWithin(entry));
        return list.left.splice(0, count === -1 ? list.left.length : count);
      });
      return [...new Map(batch.map((entry) => [entry._id, entry])).values()].sort(newerFirst);
    },
  };
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
