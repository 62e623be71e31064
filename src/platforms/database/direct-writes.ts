import mongoose, { type Model, type mongo, type PipelineStage, type QueryFilter, type UpdateQuery } from 'mongoose';
import { duplicatesAmong } from './duplicate-key.js';

// Writes past Mongoose, which casts a change at a higher cost than the driver's part. Values must have the stored
// types, since nothing is cast. Updates leave out undefined ones, as Mongoose does. Schema hooks and defaults do not apply.

const options = { ignoreUndefined: true } as const;

/** Changes one document. Returns whether one matches. */
export async function updateOneDirectly<T>(
  model: Model<T>,
  filter: QueryFilter<T>,
  change: UpdateQuery<T>,
): Promise<boolean> {
  const asked = mongoose.sanitizeFilter(filter) as mongo.Filter<object>;
  const { matchedCount } = await model.collection.updateOne(
    asked,
    change as mongo.UpdateFilter<mongo.BSON.Document>,
    options,
  );
  return matchedCount > 0;
}

/** Changes all matching documents by a pipeline. */
export async function updateManyDirectly<T>(
  model: Model<T>,
  filter: QueryFilter<T>,
  pipeline: PipelineStage[],
): Promise<void> {
  await model.collection.updateMany(mongoose.sanitizeFilter(filter) as mongo.Filter<object>, pipeline, options);
}

/** Changes the document with this id by a pipeline, or creates it, and returns the result. */
export async function upsertDirectly<T extends { _id: string }>(
  model: Model<T>,
  _id: string,
  pipeline: PipelineStage[],
): Promise<T | null> {
  const byId = { _id } as object as mongo.Filter<object>;
  const written = await model.collection.findOneAndUpdate(byId, pipeline, {
    ...options,
    upsert: true,
    returnDocument: 'after',
  });
  return written as T | null;
}

/**
 * Stores documents that have an `_id` and all their fields, each by itself. Returns the positions of those that are
 * stored already. A value that is undefined becomes null.
 */
export async function insertAllDirectly<T extends { _id: string }>(
  model: Model<T>,
  documents: readonly T[],
): Promise<number[]> {
  const { collection } = model;
  return collection.insertMany(documents as never, { ordered: false }).then((): number[] => [], duplicatesAmong);
}
