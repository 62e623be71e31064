import mongoose, { mongo } from 'mongoose';

/** WriteConcernFailed (`wtimeout`), MaxTimeMSExpired, and no primary to be found: codes of MongoDB's servers. */
const passingCodes = new Set([50, 64, 91, 189, 10107, 11600, 11602, 13435, 13436]);

/** Of sockets: what the driver sends on a connection that is just being closed fails with Node's own error. */
const socketCodes = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

/**
 * Whether a command failed since the database was away or too slow. What it should have written may be written, or
 * still be: a write that waited too long for its replicas (`wtimeout`) has not been undone.
 */
export function isDatabaseTrouble(error: unknown): boolean {
  if (error instanceof mongoose.Error.MongooseServerSelectionError) return true;
  if (error instanceof mongo.MongoServerSelectionError || error instanceof mongo.MongoNetworkError) return true;
  if (error instanceof mongo.MongoWriteConcernError) return true;
  if (error instanceof mongo.MongoBulkWriteError && error.result.getWriteConcernError() !== undefined) return true;
  if (error instanceof mongo.MongoServerError) return passingCodes.has(Number(error.code));
  return error instanceof Error && 'code' in error && socketCodes.has(String(error.code));
}
