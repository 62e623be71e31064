import mongoose, { mongo } from 'mongoose';
import { type DataVersion, versionCollection } from './data-version.js';
import { duplicatesAmong, isDuplicateKey } from './duplicate-key.js';
import { forgetBuiltIndexes } from './index-building.js';

/** A document as stored, with number types kept distinct. */
export interface StoredDocument {
  collection: string;
  document: mongo.Document;
}

/** A unique index: only one document in the collection may have each value. */
export interface UniqueIndex {
  collection: string;
  keys: Record<string, 1 | -1>;
  options: { name?: string; unique: true; partialFilterExpression?: mongo.Document };
}

export interface Replacement {
  version: number;
  documents: AsyncIterable<StoredDocument>;
  /** Built before the documents are inserted. */
  unique: readonly UniqueIndex[];
  /**
   * By collection: reduces a document that lost its unique value to a later one. Without it the document is dropped.
   */
  outdone?: Readonly<Record<string, (document: mongo.Document) => mongo.Document>>;
  /** Runs once the database is marked as incomplete. */
  whenMarked?: () => void;
}

/** How many documents were inserted, and per collection how many lost their unique value to a later one. */
export interface Replaced {
  count: number;
  outdone: Record<string, number>;
}

const batchSize = 500;

export function uniqueIndexesOfModels(): UniqueIndex[] {
  return Object.values(mongoose.models).flatMap(({ collection, schema }) =>
    schema.indexes().flatMap(([keys, { unique, name, partialFilterExpression }]) => {
      if (unique !== true) return [];
      const named = { ...(name !== undefined && { name }) };
      const partial = { ...(partialFilterExpression !== undefined && { partialFilterExpression }) };
      const options = { unique, ...named, ...partial };
      return [{ collection: collection.name, keys: keys as UniqueIndex['keys'], options }];
    }),
  );
}

/** All collections except the version's. Those in `last` come last, in their order. */
export async function collectionsIn(db: mongo.Db, last: readonly string[] = []): Promise<string[]> {
  const found = await db.listCollections({}, { nameOnly: true }).toArray();
  const names = found
    .map(({ name }) => name)
    .filter((name) => name !== versionCollection && !name.startsWith('system.'));
  return names.sort((a, b) => last.indexOf(a) - last.indexOf(b) || a.localeCompare(b));
}

/**
 * Replaces a database's content. Until this is done, the database is marked as incomplete and no service starts on it.
 * A backup read during writes can contain one unique value twice, for example an account that moved during the read.
 * The document read later wins.
 */
export async function replaceAll(db: mongo.Db, replacement: Replacement): Promise<Replaced> {
  const { version, documents, unique, whenMarked } = replacement;
  const versions = db.collection<DataVersion>(versionCollection);
  const marked = { $set: { version, restoring: true }, $unset: { upgrade: '' } } as const;
  await versions.updateOne({ _id: 'data' }, marked, { upsert: true });
  whenMarked?.();
  await forgetBuiltIndexes(db);
  for (const name of await collectionsIn(db)) await db.collection(name).drop();
  for (const { collection, keys, options } of unique) await db.collection(collection).createIndex(keys, options);
  const filling = new Filling(db, replacement);
  for await (const stored of documents) await filling.add(stored);
  await filling.flush();
  await versions.updateOne({ _id: 'data' }, { $unset: { restoring: '' } });
  return { count: filling.count, outdone: filling.outdone };
}

class Filling {
  count = 0;
  readonly outdone: Record<string, number> = {};
  #batch: mongo.Document[] = [];
  #into = '';

  constructor(
    private readonly db: mongo.Db,
    private readonly replacement: Replacement,
  ) {}

  async add({ collection, document }: StoredDocument): Promise<void> {
    if (collection !== this.#into || this.#batch.length >= batchSize) await this.flush();
    this.#into = collection;
    this.#batch.push(document);
  }

  async flush(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.count += batch.length;
    if (batch.length === 0) return;
    try {
      await this.db.collection(this.#into).insertMany(batch, { ordered: false });
    } catch (error) {
      const refused = duplicatesAmong(error).sort((a, b) => a - b);
      for (const document of refused.flatMap((index) => batch[index] ?? [])) await this.#insertOver(document);
    }
  }

  /** Inserts a document, and removes its unique values from earlier documents. */
  async #insertOver(document: mongo.Document): Promise<void> {
    const collection = this.db.collection(this.#into);
    for (;;) {
      try {
        await collection.insertOne(document);
        return;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const holder = await collection.findOneAndDelete(this.#holding(error));
        if (holder === null) throw error;
        const left = holder._id === document._id ? undefined : this.replacement.outdone?.[this.#into]?.(holder);
        if (left !== undefined) await collection.insertOne(left);
        else this.count -= 1;
        this.outdone[this.#into] = (this.outdone[this.#into] ?? 0) + 1;
      }
    }
  }

  /** The filter for the document that holds the value rejected by this duplicate-key error. */
  #holding(error: unknown): mongo.Filter<mongo.Document> {
    const { keyPattern, keyValue } = (error instanceof mongo.MongoServerError ? error.errorResponse : {}) as {
      keyPattern?: mongo.Document;
      keyValue?: mongo.Document;
    };
    if (keyPattern === undefined || keyValue === undefined) throw error;
    const index = this.replacement.unique.find(
      ({ collection, keys }) => collection === this.#into && JSON.stringify(keys) === JSON.stringify(keyPattern),
    );
    return { $and: [keyValue, index?.options.partialFilterExpression ?? {}] };
  }
}
