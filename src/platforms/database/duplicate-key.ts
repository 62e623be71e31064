import { mongo } from 'mongoose';

const duplicateKey = 11000;

/**
 * Whether a write failed because a unique index already has this value: another writer was first. For a bulk write:
 * whether all its errors are such.
 */
export function isDuplicateKey(error: unknown): boolean {
  if (error instanceof mongo.MongoBulkWriteError) {
    const failures = [error.writeErrors].flat();
    return failures.length > 0 && failures.every(({ code }) => code === duplicateKey);
  }
  return error instanceof mongo.MongoServerError && error.code === duplicateKey;
}

/**
 * The indexes among a bulk write's documents that already exist, if those are its only errors. Rethrows any other
 * error.
 */
export function duplicatesAmong(error: unknown): number[] {
  if (!(error instanceof mongo.MongoBulkWriteError) || !isDuplicateKey(error)) throw error;
  return [error.writeErrors].flat().map(({ index }) => index);
}
