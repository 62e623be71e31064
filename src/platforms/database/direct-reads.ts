import mongoose, { type Model, type mongo, type PipelineStage, type QueryFilter } from 'mongoose';
import type { Hint } from './guild-model.js';

/** Mongoose's time limit for queries. */
const limited = (): { maxTimeMS?: number } => {
  const maxTimeMS = mongoose.get('maxTimeMS');
  return maxTimeMS === undefined ? {} : { maxTimeMS };
};

/** More than the largest plan's mappings and groups, so that one command is enough; the driver's default is 101. */
const batchSize = 2_000;

interface ReadOptions {
  sort?: Record<string, 1 | -1>;
  skip?: number;
  /** Negative: one batch this large, without a follow-up read. */
  limit?: number;
  hint?: Hint;
  projection?: Record<string, 0 | 1>;
}

/** The model part used here. */
type Source = Pick<Model<never>, 'collection' | 'db'>;

/**
 * The documents that match a filter, as the driver returns them. For the most frequent queries: Mongoose's share costs
 * as much as the driver's. Filter values must have the stored types, since nothing is cast. Schema hooks do not run. As
 * everywhere, operators need `mongoose.trusted`.
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
 * The document with this id, read directly, or null. Queries by the id alone, for which the engine has a fast path;
 * callers compare other fields themselves.
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
 * A pipeline's results, read directly. Pipelines are never built from a caller's input, except text values in `$match`.
 */
export async function aggregateDirectly<Row extends object>(
  model: Source,
  pipeline: PipelineStage[],
  options: Pick<ReadOptions, 'hint'> = {},
): Promise<Row[]> {
  const { collection } = model;
  const within = { ...options, ...limited() };
  const aggregate = { aggregate: collection.name, pipeline, cursor: { batchSize }, ...within };
  const found = await readInOneBatch<Row>(model, aggregate);
  return found ?? collection.aggregate<Row>(pipeline, { batchSize, ...within }).toArray();
}

/** MaxTimeMSExpired: the server reached the time limit. */
const tookTooLong = 50;

/**
 * A cursor command's result, if its first batch contains everything. Bypasses the driver's cursors, which double a
 * page's cost. Undefined if there is more, or after a temporary failure; then a cursor retries.
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
