import { createHash } from 'node:crypto';
import mongoose, { type Model } from 'mongoose';
import { logger } from '../../lib/logger.js';
import { DatabaseStartError } from '../../lib/start-error.js';
import { versionCollection } from './data-version.js';
import { dropObsolete, obsoleteCollections } from './obsolete-collections.js';

/**
 * The fingerprint for the definitions with which a collection's indexes were last built. It is stored next to the data
 * version, so backups do not contain it.
 */
interface BuiltIndexes {
  _id: 'indexes';
  collections?: Record<string, string>;
  /** The dropped collections' fingerprint. */
  obsolete?: string;
}

const logEveryMs = 3_000;
/** MongoDB's code for a missing collection (NamespaceNotFound). */
const noSuchCollection = 26;

const built = (): mongoose.Collection<BuiltIndexes> => mongoose.connection.collection<BuiltIndexes>(versionCollection);

/**
 * Updates all known models' indexes, and drops those that none declares: an older version's unique index would reject
 * values allowed now, and each index costs every write. Collections with unchanged definitions are skipped, unless they
 * were dropped since. @throws DatabaseStartError with each collection that can't be indexed, and the reason.
 */
export async function requireIndexes(): Promise<void> {
  const models = Object.values(mongoose.models).filter(({ schema }) => schema.indexes().length > 0);
  const known = await built().findOne({ _id: 'indexes' });
  const there = known === null ? new Set<string>() : await collectionNames();
  const prints = new Map(models.map((model) => [model.collection.name, fingerprintOf(model.schema.indexes())]));
  const changed = models.filter(
    ({ collection: { name } }) => !there.has(name) || known?.collections?.[name] !== prints.get(name),
  );
  const dropped = fingerprintOf(obsoleteCollections);
  if (changed.length === 0 && known?.obsolete === dropped) return;
  await buildIndexes(changed);
  if (known?.obsolete !== dropped && mongoose.connection.db) await dropObsolete(mongoose.connection.db);
  const news = changed.map(({ collection: { name } }) => [`collections.${name}`, prints.get(name)]);
  const $set = { ...Object.fromEntries(news), obsolete: dropped };
  await built().updateOne({ _id: 'indexes' }, { $set }, { upsert: true });
}

/** Makes the next start build all indexes. Call it before collections are dropped. */
export async function forgetBuiltIndexes(db: mongoose.mongo.Db): Promise<void> {
  await db.collection<BuiltIndexes>(versionCollection).deleteOne({ _id: 'indexes' });
}

/**
 * Builds models' indexes, by default for all. A long build logs its progress and the collections left. @throws
 * DatabaseStartError with each collection that can't be indexed, and the reason.
 */
export async function buildIndexes(
  models: readonly Model<unknown>[] = Object.values(mongoose.models),
  tellEveryMs: number = logEveryMs,
): Promise<void> {
  const left = new Set(models.map(({ collection }) => collection.name));
  const tell = () =>
    logger.info({ built: models.length - left.size, of: models.length, left: [...left] }, 'building indexes');
  const telling = setInterval(tell, tellEveryMs);
  const build = (model: Model<unknown>) => buildOf(model).finally(() => left.delete(model.collection.name));
  const results = await Promise.allSettled(models.map(build));
  clearInterval(telling);
  const failures = results.flatMap((result, index) =>
    result.status === 'rejected' ? [`${models[index]?.collection.name}: ${messageOf(result.reason)}`] : [],
  );
  const [failed] = results.filter((result) => result.status === 'rejected');
  if (failed === undefined) return;
  throw new DatabaseStartError(`Indexes can't be built.\n${failures.join('\n')}`, { cause: failed.reason });
}

/** A collection's indexes in one command, which also creates the collection. */
async function buildOf({ collection, schema }: Model<unknown>): Promise<void> {
  const definitions = schema.indexes();
  if (definitions.length === 0) return;
  const indexes = definitions.map(([key, { background: _, ...options }]) => ({ ...options, key })) as StoredIndex[];
  const declared = new Set(indexes.map(identityOf));
  for (const index of await storedIndexes(collection)) {
    const { name = '' } = index;
    if (name !== '_id_' && !declared.has(identityOf(index))) await collection.dropIndex(name);
  }
  await collection.createIndexes(indexes);
}

type StoredIndex = mongoose.mongo.IndexDescription;

/** An index with another name or other options is another index. */
function identityOf({ key, name, unique = false, partialFilterExpression = {} }: StoredIndex): string {
  const usual = Object.entries(key).flat().join('_');
  return JSON.stringify([name ?? usual, key, unique, partialFilterExpression]);
}

/** A collection's indexes; none if it isn't there. */
async function storedIndexes(collection: Pick<mongoose.Collection, 'listIndexes'>): Promise<StoredIndex[]> {
  try {
    return await collection.listIndexes().toArray();
  } catch (error) {
    if (error instanceof mongoose.mongo.MongoServerError && error.code === noSuchCollection) return [];
    throw error;
  }
}

async function collectionNames(): Promise<Set<string>> {
  const found = await mongoose.connection.listCollections();
  return new Set(found.map(({ name }) => name));
}

const fingerprintOf = (definitions: unknown): string =>
  createHash('sha256').update(JSON.stringify(definitions)).digest('base64url');

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
