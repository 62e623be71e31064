import mongoose, { type Model, type mongo, type QueryFilter, type UpdateQuery } from 'mongoose';

/**
 * Changes one document past Mongoose, whose casting of a change costs more than the driver's part. Values must have the
 * stored types, since nothing is cast. Schema hooks do not run. Returns whether a document matches.
 */
export async function updateOneDirectly<T>(
  model: Model<T>,
  filter: QueryFilter<T>,
  change: UpdateQuery<T>,
): Promise<boolean> {
  const asked = mongoose.sanitizeFilter(filter) as mongo.Filter<object>;
  const { matchedCount } = await model.collection.updateOne(asked, change as mongo.UpdateFilter<mongo.BSON.Document>);
  return matchedCount > 0;
}
