import { resolve } from 'node:path';
import mongoose from 'mongoose';
import { namesDatabase, onMajority, onOwnDisk } from './connect.js';
import { collectionsIn, type Replaced, type Replacement, replaceAll, type StoredDocument } from './data-replacement.js';
import { type DataVersion, versionCollection } from './data-version.js';
import { connectionFault, requireClearAddress } from './database-address.js';
import { openEmbeddedEngine } from './embedded-engine.js';
import { findRunningEngine } from './engine-address.js';

const { MongoClient } = mongoose.mongo;

/** All documents in one database, for a backup, a restore or a move. */
export interface DataStore {
  readonly version: DataVersion | null;
  isEmpty(): Promise<boolean>;
  /** Every document except the version. Collections that receive moved data come after the ones it leaves. */
  read(): AsyncIterable<StoredDocument>;
  replace(by: Replacement): Promise<Replaced>;
  close(): Promise<void>;
}

/**
 * Read last, so nothing is lost in between: the differences that members say they have, and what the relay moves out of
 * documents: deliveries and log entries.
 */
const readLast = ['planned_changes', 'deliveries', 'audit_log'];
const batchSize = 500;
const exact = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true } as const;

/**
 * Opens the database at `uri`, or the embedded one in `dataDir` if `uri` is empty. `beside`: also while a service uses
 * it; a server always allows that. Throws DatabaseStartError.
 */
export async function openStore({
  uri,
  dataDir,
  beside,
  name = 'MONGODB_URI',
}: {
  uri: string;
  dataDir: string;
  beside: boolean;
  /** The setting in which the operator gave the address. */
  name?: string;
}): Promise<DataStore> {
  if (uri !== '') requireClearAddress(uri, name);
  const directory = resolve(dataDir, 'database');
  const running = uri === '' && beside ? await findRunningEngine(directory) : undefined;
  const engine = uri === '' && running === undefined ? await openEmbeddedEngine(directory) : undefined;
  const address = uri === '' ? (running ?? engine?.uri ?? '') : uri;
  let client: mongoose.mongo.MongoClient | undefined;
  const close = async (): Promise<void> => {
    await client?.close();
    await engine?.close();
  };
  try {
    client = new MongoClient(address, {
      writeConcern: uri === '' ? onOwnDisk : onMajority,
      serverSelectionTimeoutMS: 5_000,
    });
    const db = (await client.connect()).db(namesDatabase(uri) ? undefined : 'rolelink');
    const version = await db.collection<DataVersion>(versionCollection).findOne({ _id: 'data' });
    return { version, isEmpty: () => isEmpty(db), read: () => readAll(db), replace: (by) => replaceAll(db, by), close };
  } catch (cause) {
    await close();
    throw connectionFault(address, name, cause);
  }
}

async function isEmpty(db: mongoose.mongo.Db): Promise<boolean> {
  for (const name of await collectionsIn(db)) if ((await db.collection(name).findOne()) !== null) return false;
  return true;
}

async function* readAll(db: mongoose.mongo.Db): AsyncGenerator<StoredDocument> {
  for (const collection of await collectionsIn(db, readLast)) {
    const cursor = db.collection(collection).find({}, { sort: { _id: 1 }, hint: { _id: 1 }, batchSize, ...exact });
    for await (const document of cursor) yield { collection, document };
  }
}
