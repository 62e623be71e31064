import mongoose, { type Model, type mongo, type QueryFilter, type UpdateQuery } from 'mongoose';

/**
 * Changes one document past Mongoose and gives it as it is afterwards; null when none matches. Mongoose's casting of a
 * change costs more than the driver's part. The values are of the types that are stored, as nothing is cast; hooks of the
 * schema do not run.
 */
export async function updateDirectly<T>(
  model: Model<T>,
  filter: QueryFilter<T>,
  change: UpdateQuery<T>,
): Promise<T | null> {
  const asked = mongoose.sanitizeFilter(filter) as mongo.Filter<object>;
  const written = await model.collection.findOneAndUpdate(asked, change as mongo.UpdateFilter<mongo.BSON.Document>, {
    returnDocument: 'after',
  });
  return written as T | null;
}
