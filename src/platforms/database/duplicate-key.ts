import { mongo } from 'mongoose';

const duplicateKey = 11000;

/**
 * Whether a write failed since a unique index has such a document already: another writer was first. Of a write of
 * many, whether that is all that failed.
 */
export function isDuplicateKey(error: unknown): boolean {
  if (error instanceof mongo.MongoBulkWriteError) {
    const failures = [error.writeErrors].flat();
    return failures.length > 0 && failures.every(({ code }) => code === duplicateKey);
  }
  return error instanceof mongo.MongoServerError && error.code === duplicateKey;
}
