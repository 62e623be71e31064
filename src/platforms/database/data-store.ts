import { resolve } from 'node:path';
import mongoose from 'mongoose';
import { DatabaseStartError } from '../../lib/start-error.js';
import { namesDatabase, onMajority, onOwnDisk } from './connect.js';
import { type DataVersion, versionCollection } from './data-version.js';
import { openEmbeddedEngine } from './embedded-engine.js';
import { findRunningEngine } from './engine-address.js';

const { MongoClient } = mongoose.mongo;

/** A document as it is stored, numbers of each kind kept apart. */
export interface StoredDocument {
  collection: string;
  document: mongoose.mongo.Document;
}

/** All documents of one database, for a backup, a restore or a move; no models, no indexes. */
export interface DataStore {
  readonly version: DataVersion | null;
  /** Whether there is any document. */
  isEmpty(): Promise<boolean>;
  /** Every document but the version. Collections to which things are moved come after those that they leave. */
  read(): AsyncIterable<StoredDocument>;
  /**
   * Replaces everything by these documents. Until it is done, the database says of itself that it is a part, and no
   * service starts on it. Gives their number.
   */
  replace(version: number, documents: AsyncIterable<StoredDocument>): Promise<number>;
  close(): Promise<void>;
}

/** The relay moves events from documents to deliveries, and entries to the log: read last, nothing is lost between. */
const readLast = ['deliveries', 'audit_log'];
const batchSize = 500;
const exact = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true } as const;

/**
 * Opens the database at `uri`, or the embedded one of `dataDir` when that is empty. `beside`: also while a service runs on
 * it, as is always so with a server. Throws DatabaseStartError.
 */
export async function openStore({
  uri,
  dataDir,
  beside,
}: {
  uri: string;
  dataDir: string;
  beside: boolean;
}): Promise<DataStore> {
  const directory = resolve(dataDir, 'database');
  const running = uri === '' && beside ? await findRunningEngine(directory) : undefined;
  const engine = uri === '' && running === undefined ? await openEmbeddedEngine(directory) : undefined;
  const address = uri === '' ? (running ?? engine?.uri ?? '') : uri;
  const client = new MongoClient(address, {
    writeConcern: uri === '' ? onOwnDisk : onMajority,
    serverSelectionTimeoutMS: 5_000,
  });
  const close = async (): Promise<void> => {
    await client.close();
    await engine?.close();
  };
  try {
    const db = (await client.connect()).db(namesDatabase(uri) ? undefined : 'rolelink');
    const version = await db.collection<DataVersion>(versionCollection).findOne({ _id: 'data' });
    return { version, isEmpty: () => isEmpty(db), read: () => readAll(db), replace: replaceIn(db), close };
  } catch (cause) {
    await close();
    const shown = address.replace(/\/\/[^@/]*@/, '//');
    throw new DatabaseStartError(
      `Can't open the database at ${shown}: ${cause instanceof Error ? cause.message : cause}`,
      { cause },
    );
  }
}

async function namesIn(db: mongoose.mongo.Db): Promise<string[]> {
  const found = await db.listCollections({}, { nameOnly: true }).toArray();
  const names = found
    .map(({ name }) => name)
    .filter((name) => name !== versionCollection && !name.startsWith('system.'));
  return names.sort((a, b) => readLast.indexOf(a) - readLast.indexOf(b) || a.localeCompare(b));
}

async function isEmpty(db: mongoose.mongo.Db): Promise<boolean> {
  for (const name of await namesIn(db)) if ((await db.collection(name).findOne()) !== null) return false;
  return true;
}

async function* readAll(db: mongoose.mongo.Db): AsyncGenerator<StoredDocument> {
  for (const collection of await namesIn(db)) {
    const cursor = db.collection(collection).find({}, { sort: { _id: 1 }, hint: { _id: 1 }, batchSize, ...exact });
    for await (const document of cursor) yield { collection, document };
  }
}

const replaceIn =
  (db: mongoose.mongo.Db): DataStore['replace'] =>
  async (version, documents) => {
    const versions = db.collection<DataVersion>(versionCollection);
    await versions.updateOne({ _id: 'data' }, { $set: { version, restoring: true } }, { upsert: true });
    for (const name of await namesIn(db)) await db.collection(name).drop();
    let [count, batch, into] = [0, [] as mongoose.mongo.Document[], ''];
    const flush = async (): Promise<void> => {
      if (batch.length > 0) await db.collection(into).insertMany(batch);
      count += batch.length;
      batch = [];
    };
    for await (const { collection, document } of documents) {
      if (collection !== into || batch.length >= batchSize) await flush();
      into = collection;
      batch.push(document);
    }
    await flush();
    await versions.updateOne({ _id: 'data' }, { $unset: { restoring: '' } });
    return count;
  };
