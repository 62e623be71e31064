import mongoose, { mongo } from 'mongoose';

/** WriteConcernFailed (`wtimeout`), MaxTimeMSExpired and missing-primary errors: MongoDB servers' codes. */
const passingCodes = new Set([50, 64, 91, 189, 10107, 11600, 11602, 13435, 13436]);

/** Socket errors: a command sent while its connection closes fails with Node's own error. */
const socketCodes = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

/**
 * Whether a command failed because the database was away or too slow. Its write may have happened or still happen: a
 * write that timed out waiting for replicas (`wtimeout`) is not undone.
 */
export function isDatabaseTrouble(error: unknown): boolean {
  if (error instanceof mongoose.Error.MongooseServerSelectionError) return true;
  if (error instanceof mongo.MongoServerSelectionError || error instanceof mongo.MongoNetworkError) return true;
  if (error instanceof mongo.MongoWriteConcernError) return true;
  if (error instanceof mongo.MongoBulkWriteError && error.result.getWriteConcernError() !== undefined) return true;
  // A server's error has a code: without one, the connection ended during the write.
  if (error instanceof mongo.MongoBulkWriteError && error.code === undefined) return true;
  if (error instanceof mongo.MongoServerError) return passingCodes.has(Number(error.code));
  return error instanceof Error && 'code' in error && socketCodes.has(String(error.code));
}
