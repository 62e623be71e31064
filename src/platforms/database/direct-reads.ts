import mongoose, { type Model, type mongo, type PipelineStage, type QueryFilter } from 'mongoose';
import type { Hint } from './guild-model.js';

/** The time limit that Mongoose gives every query of its own. */
const limited = (): { maxTimeMS?: number } => {
  const maxTimeMS = mongoose.get('maxTimeMS');
  return maxTimeMS === undefined ? {} : { maxTimeMS };
};

/** More than an answer has, so that it takes one command; the driver would ask again behind 101. */
const batchSize = 1_000;

interface ReadOptions {
  sort?: Record<string, 1 | -1>;
  skip?: number;
  /** Below zero: so many in one batch, after which nobody asks for more. */
  limit?: number;
  hint?: Hint;
  projection?: Record<string, 0 | 1>;
}

/** A model, as far as it is read from here. */
type Source = Pick<Model<never>, 'collection' | 'db'>;

/**
 * What a filter finds, as the driver gives it, for what is asked most: Mongoose's part of a query costs as much as the
 * driver's. The values of the filter are of the types that are stored, as nothing is cast; hooks of the schema do not run.
 * Operators are taken as `mongoose.trusted` only, as everywhere.
 */
export async function readDirectly<T>(
  model: Model<T>,
  filter: QueryFilter<T>,
  { limit = 0, ...options }: ReadOptions = {},
): Promise<T[]> {
  const asked = mongoose.sanitizeFilter(filter) as mongo.Filter<object>;
  const within = { ...options, ...limited() };
  const { collection } = model;
  const find = { find: collection.name, filter: asked, batchSize, limit: Math.abs(limit), ...within };
  const found = await readInOneBatch<T>(model, limit < 0 ? { ...find, singleBatch: true } : find);
  return found ?? collection.find<T & object>(asked, { batchSize, limit, ...within }).toArray();
}

/**
 * The document with this id, in the same way, or null. By the id alone, for which the engine has a short way: what else
 * it has to be is for the caller to compare.
 */
export async function readOneDirectly<T extends { _id: string }>(
  model: Model<T>,
  _id: string,
  projection: Record<string, 0 | 1> = {},
): Promise<T | null> {
  const [found = null] = await readDirectly<T>(model, { _id } as QueryFilter<T>, { limit: -1, projection });
  return found;
}

/**
 * What a pipeline gives, in the same way. It is made here and never of a caller's input, but for values of `$match` that
 * are texts.
 */
export async function aggregateDirectly<Row extends object>(model: Source, pipeline: PipelineStage[]): Promise<Row[]> {
  const { collection } = model;
  const aggregate = { aggregate: collection.name, pipeline, cursor: { batchSize }, ...limited() };
  const found = await readInOneBatch<Row>(model, aggregate);
  return found ?? collection.aggregate<Row>(pipeline, { batchSize, ...limited() }).toArray();
}

/** MaxTimeMSExpired: the server has worked on it for as long as it may. */
const tookTooLong = 50;

/**
 * The answer to a command that opens a cursor, where it has all in its first batch. Past the driver's cursors, which take
 * twice as long for a page as all the rest. Undefined where there is more, or where it failed for a reason that may have
 * passed: a cursor knows which, and then tries once more.
 */
async function readInOneBatch<Row>({ db: { db } }: Source, command: object): Promise<Row[] | undefined> {
  try {
    const { readConcern, readPreference } = db ?? {};
    const asked = readConcern === undefined ? command : { ...command, readConcern };
    const answer = await db?.command(asked, readPreference && { readPreference });
    return Number(answer?.cursor.id) === 0 ? answer?.cursor.firstBatch : undefined;
  } catch (error) {
    const isFinal = error instanceof mongoose.mongo.MongoServerSelectionError;
    if (isFinal || (error instanceof mongoose.mongo.MongoServerError && error.code === tookTooLong)) throw error;
    return undefined;
  }
}
