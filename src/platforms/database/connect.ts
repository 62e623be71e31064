import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import mongoose, { type ConnectOptions } from 'mongoose';
import { mendClosedSockets } from './closed-sockets.js';
import { requireKnownData } from './data-version.js';
import { connectionFault, requireClearAddress } from './database-address.js';
import { databaseFault } from './database-fault.js';
import { type EmbeddedEngine, openEmbeddedEngine } from './embedded-engine.js';
import { findRunningEngine } from './engine-address.js';
import { requireIndexes } from './index-building.js';
import { type KeysInUse, requireKnownKeys } from './known-keys.js';

export interface DatabaseOptions {
  /** A `mongodb://` or `mongodb+srv://` address; empty for the embedded engine. */
  uri: string;
  /** The directory that contains `database`, the embedded engine's folder. */
  dataDir: string;
  /** The database's name. Default: the one in `uri`, or else `rolelink`. */
  dbName?: string;
  /** For a command line next to the service: uses the engine in the process that has the directory open, if any. */
  besideRunning?: boolean;
  /** Must be the keys with which the data was written. */
  keys?: KeysInUse;
  /** Declares the last models. The database opens in parallel; the indexes wait for it. */
  declaring?: Promise<void>;
}

export interface Database {
  /** Whether the engine runs in this process, which then is the database's only process. */
  embedded: boolean;
  /** Translates a failed start's error if the database caused it. Never throws. */
  faultOf(error: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * A read's maximum time on the server. For an export's cursor, only the server's work counts, not the reader's time.
 */
const READ_LIMIT_MS = 10_000;
/** Maximum time that boot, or a query while the server is away, waits for a server. */
const SELECTION_LIMIT_MS = 5_000;
/** Maximum wait in /readyz. */
const PING_LIMIT_MS = 1_000;

type WriteConcernSettings = NonNullable<ConnectOptions['writeConcern']>;

/** On a server, an acknowledged write is on disk on most replicas, or fails if they are unreachable. */
export const onMajority: WriteConcernSettings = { w: 'majority', journal: true, wtimeoutMS: READ_LIMIT_MS };
/**
 * The embedded engine has only its own disk. With `w: 'majority'` it answers before the write is on disk, with or
 * without journal (measured): kill -9 then loses acknowledged writes.
 */
export const onOwnDisk: WriteConcernSettings = { w: 1, journal: true };

const connectOptions = {
  serverSelectionTimeoutMS: SELECTION_LIMIT_MS,
  connectTimeoutMS: SELECTION_LIMIT_MS,
  maxPoolSize: 50,
  // `requireIndexes` builds them, and only after their definitions change.
  autoIndex: false,
  autoCreate: false,
};

/**
 * Connects Mongoose's default connection to `uri` or the embedded engine, and updates all known models' indexes.
 * Queries reject unknown fields, take no operators from values (`sanitizeFilter`; trusted code uses
 * `mongoose.trusted`), and have a time limit. @throws DatabaseStartError for a database that is unreachable, refused,
 * unavailable or too new, or can't build an index; ConfigError for data written with other keys.
 */
export async function connectDatabase(options: DatabaseOptions): Promise<Database> {
  if (options.uri !== '') requireClearAddress(options.uri, 'MONGODB_URI');
  mendClosedSockets();
  mongoose.set({ strictQuery: true, sanitizeFilter: true, maxTimeMS: READ_LIMIT_MS });
  const directory = resolve(options.dataDir, 'database');
  const running = options.uri === '' && options.besideRunning === true ? await findRunningEngine(directory) : undefined;
  const engine = options.uri === '' && running === undefined ? await openEmbeddedEngine(directory) : undefined;
  try {
    const embeddedUri = running ?? engine?.uri;
    if (embeddedUri !== undefined) await connect(embeddedUri, options.dbName, onOwnDisk);
    else await connect(options.uri, options.dbName, onMajority);
    await requireKnownData();
    if (options.keys !== undefined) await requireKnownKeys(options.keys);
    await options.declaring;
    await requireIndexes();
  } catch (error) {
    const fault = await databaseFault(error, engine);
    await close(engine);
    throw fault;
  }
  return {
    embedded: engine !== undefined,
    faultOf: (error) => databaseFault(error, engine),
    close: () => close(engine),
  };
}

/** Whether the database answers within `limitMs`, one second by default (`/readyz`). Never throws. */
export async function databaseReady(limitMs = PING_LIMIT_MS): Promise<boolean> {
  const { connection } = mongoose;
  if (connection.readyState !== mongoose.ConnectionStates.connected || !connection.db) return false;
  const answered = connection.db.command({ ping: 1 }).then(
    () => true,
    () => false,
  );
  return Promise.race([answered, delay(limitMs, false, { ref: false })]);
}

async function connect(uri: string, dbName: string | undefined, writeConcern: WriteConcernSettings): Promise<void> {
  const name = dbName ?? (namesDatabase(uri) ? undefined : 'rolelink');
  try {
    await mongoose.connect(uri, { ...connectOptions, writeConcern, ...(name !== undefined && { dbName: name }) });
  } catch (error) {
    throw connectionFault(uri, 'MONGODB_URI', error);
  }
}

/** Whether an address has a path, as in `mongodb://host:27017/name?…`. */
export function namesDatabase(uri: string): boolean {
  return /^[^:]+:\/\/[^/?]+\/[^?]/.test(uri);
}

async function close(engine: EmbeddedEngine | undefined): Promise<void> {
  await mongoose.disconnect();
  await engine?.close();
}
