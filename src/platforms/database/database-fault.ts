import { mongo } from 'mongoose';
import { DatabaseStartError } from '../../lib/start-error.js';
import { isDatabaseTrouble } from './database-trouble.js';
import type { EmbeddedEngine } from './embedded-engine.js';

/** OutOfDiskSpace and Unauthorized: codes of MongoDB's servers. */
const outOfDiskSpace = 14031;
const unauthorized = 13;

/**
 * What a start that failed says of `error`: where the database is the cause, a DatabaseStartError in words, or else the
 * error itself. The end of the embedded engine counts before what it left of a command. Takes 2 s at most. Never throws.
 */
export async function databaseFault(
  error: unknown,
  engine: Pick<EmbeddedEngine, 'whyEnded'> | undefined,
): Promise<unknown> {
  const cause = error instanceof DatabaseStartError ? error.cause : error;
  if (isDatabaseTrouble(cause)) return (await engine?.whyEnded()) ?? inWords(error, cause);
  return inWords(error, cause);
}

function inWords(error: unknown, cause: unknown): unknown {
  const message = cause instanceof Error ? cause.message : String(cause);
  const says = (words: string) => new DatabaseStartError(words, { cause });
  if (isFull(cause)) return says(`The disk of the database is too full: ${message}. Make room, and start again.`);
  if (error instanceof DatabaseStartError) return error;
  if (isDatabaseTrouble(cause)) return says(`The database does not answer any more: ${message}. Start again.`);
  if (!(cause instanceof mongo.MongoServerError)) return error;
  const hint = cause.code === unauthorized ? ' Give the user of MONGODB_URI the role readWrite.' : '';
  return says(`The database refuses what the start needs: ${message}.${hint}`);
}

function isFull(cause: unknown): boolean {
  return cause instanceof mongo.MongoServerError && Number(cause.code) === outOfDiskSpace;
}
