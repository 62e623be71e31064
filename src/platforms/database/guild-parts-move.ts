import mongoose from 'mongoose';

type Row = { _id: string } & Record<string, unknown>;
type Write = mongoose.mongo.AnyBulkWriteOperation<Row>;

/** A write for a row's fields that leaves present values alone. */
const setIfNew = (_id: string, path: string, { _id: _, guildId: __, outbox: ___, ...fields }: Row): Write => ({
  updateOne: { filter: { _id, [path]: { $exists: false } }, update: { $set: { [path]: fields } } },
});

const insertIfNew = (_id: string, fields: Partial<Row>): Write => ({
  updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true },
});

/** By collection in data version 6: the collection that receives its rows, and each row's write. */
const moves: Readonly<Record<string, { to: string; write(row: Row): Write }>> = {
  log_retention: { to: 'guilds', write: (row) => setIfNew(String(row.guildId), 'logRetention', row) },
  panels: { to: 'guilds', write: (row) => setIfNew(String(row.guildId), 'panel', row) },
  mapped_role_states: { to: 'guilds', write: (row) => setIfNew(String(row.guildId), 'mappedRoles', row) },
  setups: {
    to: 'remembered',
    write: ({ _id, guildId, ...value }) => insertIfNew(`setup ${guildId}`, { kind: 'setup', guildId, value }),
  },
  game_key_checks: { to: 'service_state', write: ({ _id, ...check }) => insertIfNew(`game_key ${_id}`, check) },
  watch_progress: { to: 'service_state', write: ({ upTo }) => insertIfNew('watched_links', { upTo }) },
  known_keys: { to: 'service_state', write: ({ _id, ...keys }) => insertIfNew('known_keys', keys) },
};

const rowsPerStep = 500;

/**
 * Moves collections with one document a guild into the guild's, and those with one document into `service_state`. The
 * events and entries in their outboxes go to the guild's. Can be repeated.
 */
export async function moveGuildParts(): Promise<void> {
  for (const [name, { to, write }] of Object.entries(moves)) {
    const rows = mongoose.connection.collection<Row>(name).find().batchSize(rowsPerStep);
    const target = mongoose.connection.collection<Row>(to);
    let writes: Write[] = [];
    const flush = async (): Promise<void> => {
      if (writes.length > 0) await target.bulkWrite(writes);
      writes = [];
    };
    for await (const row of rows) {
      writes.push(write(row), ...outboxOf(row));
      if (writes.length >= rowsPerStep) await flush();
    }
    await flush();
    await mongoose.connection.db?.dropCollection(name);
  }
}

/** The write that gives what waits in a row's outbox to its guild, once. */
function outboxOf({ guildId, outbox }: Row): Write[] {
  if (!Array.isArray(outbox) || outbox.length === 0) return [];
  const add = { $each: outbox } as never;
  return [{ updateOne: { filter: { _id: String(guildId) }, update: { $addToSet: { outbox: add } } } }];
}
