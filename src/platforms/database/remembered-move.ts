import mongoose from 'mongoose';
import { dayMs } from '../../lib/time.js';

type Row = { _id: unknown } & Record<string, unknown>;
type Thing = { kind: string; key: string } & Record<string, unknown>;

const day = (at: unknown, days = 1): Date => new Date(Number(at) + days * dayMs);
/** The named fields that a row has. */
const only = (row: Row, ...names: string[]) =>
  Object.fromEntries(names.flatMap((name) => (row[name] === undefined ? [] : [[name, row[name]]])));

/** By collection in data version 3: the thing that each row becomes. */
const moves: Readonly<Record<string, (row: Row) => Thing>> = {
  claim_questions: ({ _id, chatUserId, overAt, ...row }) => {
    const [asking = ''] = String(_id).split(':');
    const value = { guildId: asking === '*' ? null : asking, ...only({ _id, ...row }, 'open', 'sentAt', 'quietUntil') };
    return { kind: 'claim_questions', key: `${asking} ${chatUserId}`, person: chatUserId, until: overAt, value };
  },
  told_invitees: ({ _id, at }) => ({ kind: 'notified_invitee', key: String(_id), until: day(at) }),
  undos: ({ _id, guildId, at, delta }) => {
    return { kind: 'undo', key: `${guildId} ${_id}`, guildId, until: day(at), value: delta };
  },
  review_drafts: (row) => {
    const { guildId, chatUserId, kind, at } = row;
    const place = { kind: 'review_draft', key: `${guildId} ${chatUserId} ${kind}`, guildId, person: chatUserId };
    return { ...place, until: day(at), value: only(row, 'kind', 'key', 'text') };
  },
  refused_imports: (row) => {
    const { _id, chatUserId } = row;
    const value = only(row, 'gameUserId', 'refusedAt');
    return { kind: 'refused_import', key: String(_id), person: chatUserId, value };
  },
  sealed_actors: (row) => {
    const { guildId, pseudonym, until } = row;
    const value = only(row, 'pseudonym', 'sealed');
    return { kind: 'sealed_actor', key: `${guildId} ${pseudonym}`, guildId, until, value };
  },
  billing_events: ({ _id, guildId, type, appliedAt }) => {
    return { kind: 'stripe_event', key: `${guildId} ${_id}`, guildId, until: day(appliedAt, 31), value: { type } };
  },
};

const rowsPerStep = 500;

/** Moves data version 3's small collections into `remembered`. A repetition writes the same things again. */
export async function moveRemembered(): Promise<void> {
  const remembered = mongoose.connection.collection<{ _id: string }>('remembered');
  for (const [name, thingOf] of Object.entries(moves)) {
    const rows = mongoose.connection.collection<Row>(name).find().batchSize(rowsPerStep);
    let writes: mongoose.mongo.AnyBulkWriteOperation<{ _id: string }>[] = [];
    const flush = async (): Promise<void> => {
      if (writes.length > 0) await remembered.bulkWrite(writes, { ordered: false });
      writes = [];
    };
    for await (const row of rows) {
      const { key, ...thing } = thingOf(row);
      writes.push({ replaceOne: { filter: { _id: `${thing.kind} ${key}` }, replacement: thing, upsert: true } });
      if (writes.length === rowsPerStep) await flush();
    }
    await flush();
    await mongoose.connection.db?.dropCollection(name);
  }
}
