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

/**
 * What a filter finds, as the driver gives it, for what is asked most: Mongoose's part of a query costs as much as the
 * driver's. The values of the filter are of the types that are stored, as nothing is cast; hooks of the schema do not run.
 * Operators are taken as `mongoose.trusted` only, as everywhere.
 */
export function readDirectly<T>(
  { collection }: Model<T>,
  filter: QueryFilter<T>,
  { limit = 0, ...options }: ReadOptions = {},
): Promise<T[]> {
  const asked = mongoose.sanitizeFilter(filter) as mongo.Filter<object>;
  return collection.find<T & object>(asked, { batchSize, limit, ...options, ...limited() }).toArray();
}

/** The one that a filter finds, in the same way, or null. */
export async function readOneDirectly<T>(
  model: Model<T>,
  filter: QueryFilter<T>,
  projection: Record<string, 0 | 1> = {},
): Promise<T | null> {
  const [found = null] = await readDirectly(model, filter, { limit: -1, projection });
  return found;
}

/**
 * What a pipeline gives, in the same way. It is made here and never of a caller's input, but for values of `$match` that
 * are texts. `hint` is the index of its first stage.
 */
export function aggregateDirectly<Row extends object>(
  { collection }: { collection: Model<never>['collection'] },
  pipeline: PipelineStage[],
  hint: Hint,
): Promise<Row[]> {
  return collection.aggregate<Row>(pipeline, { hint, batchSize, ...limited() }).toArray();
}
