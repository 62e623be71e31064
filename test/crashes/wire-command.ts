import mongoose from 'mongoose';

/** One command from the service to the database, with the parts that this harness reads. */
export interface WireCommand {
  requestId: number;
  /** Such as `update members $set.owedSync`; undefined: it writes nothing. */
  write: string | undefined;
}

/** OP_MSG; nothing else is sent once a connection is open. */
const opMsg = 2013;
const headerBytes = 16;
const flagBytes = 4;
const writes = ['insert', 'update', 'delete', 'findAndModify'];
/** Jobs that run by the clock in any flow: Agenda's notes about them come in one run and not in the next. */
const byClock = new Set([
  ...['automatic-resyncs', 'catch-up-guilds', 'check-game-key', 'purge-expired', 'read-traits', 'reconcile-billing'],
  ...['resume-resyncs', 'retry-syncs', 'settle-accounts', 'settle-rank-changes', 'settle-verifications'],
  ...['tell-joiners', 'watch-accounts', 'welcome-guilds'],
]);
/** Long enough to distinguish two writes in one flow. */
const longestFields = 90;

type Document = mongoose.mongo.BSON.Document;

const messageIdOf = (message: Buffer): number => message.readInt32LE(4);
export const answeredIdOf = (message: Buffer): number => message.readInt32LE(8);

export function readCommand(message: Buffer): WireCommand {
  const requestId = messageIdOf(message);
  if (message.readInt32LE(12) !== opMsg) return { requestId, write: undefined };
  const { command, statements } = readSections(message);
  const [name = ''] = Object.keys(command);
  if (!writes.includes(name)) return { requestId, write: undefined };
  const [first = command] = [...(command.updates ?? []), ...(command.deletes ?? []), ...statements];
  const collection = String(command[name]);
  const subject = subjectOf(collection, first);
  if (byClock.has(subject)) return { requestId, write: undefined };
  const detail = [subject, fieldsOf(first.u ?? first.update)].filter((part) => part !== '');
  return { requestId, write: [name, collection, ...detail].join(' ') };
}

/** The command's body, and the statements that came with it. */
function readSections(message: Buffer): { command: Document; statements: Document[] } {
  const statements: Document[] = [];
  let command: Document = {};
  for (let at = headerBytes + flagBytes; at < message.length; ) {
    const kind = message.readUInt8(at);
    const size = message.readInt32LE(at + 1);
    if (kind === 0) command = parse(message.subarray(at + 1, at + 1 + size));
    else statements.push(...parseAll(message.subarray(message.indexOf(0, at + 5) + 1, at + 1 + size)));
    at += 1 + size;
  }
  return { command, statements };
}

function parseAll(bytes: Buffer): Document[] {
  const found: Document[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readInt32LE(at)) {
    found.push(parse(bytes.subarray(at, at + bytes.readInt32LE(at))));
  }
  return found;
}

const parse = (bytes: Buffer): Document => mongoose.mongo.BSON.deserialize(bytes);

/** Which lease, which job, which action: where many kinds stand in one collection. */
function subjectOf(collection: string, statement: Document): string {
  const filter = statement.q ?? statement.query ?? {};
  if (collection === 'leases')
    return (
      JSON.stringify(filter)
        .match(/(\w+):/g)
        ?.find((key) => /^[a-z]/.test(key)) ?? ''
    );
  return collection === 'audit_log' && statement.action !== undefined ? String(statement.action) : '';
}

/** An update's changed fields: `$set.state,$unset.owedSync`, without parts that differ from run to run. */
function fieldsOf(update: unknown): string {
  if (typeof update !== 'object' || update === null) return '';
  const stages: Document[] = Array.isArray(update) ? update : [update];
  const names = stages.flatMap((stage) =>
    Object.entries(stage).flatMap(([operator, fields]) =>
      typeof fields === 'object' && fields !== null && !Array.isArray(fields)
        ? Object.keys(fields).map((field) => `${operator}.${field.replace(/\d+/g, '#')}`)
        : [operator],
    ),
  );
  return [...new Set(names)]
    .filter((name) => !name.endsWith('.updatedAt'))
    .join(',')
    .slice(0, longestFields);
}
