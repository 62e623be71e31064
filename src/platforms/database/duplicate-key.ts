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

/**
 * Which documents of a write of many, by their index, are there already, when that is all that failed. Throws any other
 * error again.
 */
export function duplicatesAmong(error: unknown): number[] {
  if (!(error instanceof mongo.MongoBulkWriteError) || !isDuplicateKey(error)) throw error;
  return [error.writeErrors].flat().map(({ index }) => index);
}
