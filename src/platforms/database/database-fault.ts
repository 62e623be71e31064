import { mongo } from 'mongoose';
import { DatabaseStartError } from '../../lib/start-error.js';
import { isDatabaseTrouble } from './database-trouble.js';
import type { EmbeddedEngine } from './embedded-engine.js';

/** OutOfDiskSpace and Unauthorized: MongoDB servers' error codes. */
const outOfDiskSpace = 14031;
const unauthorized = 13;

/**
 * Translates a failed start's error: a DatabaseStartError if the database is the cause, otherwise the error itself. The
 * engine's end takes precedence over the errors it caused in commands. Takes at most 2 s. Never throws.
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
  if (isFull(cause)) return says(`The database's disk is too full: ${message}. Free some space, then start again.`);
  if (error instanceof DatabaseStartError) return error;
  if (isDatabaseTrouble(cause)) return says(`The database stopped responding: ${message}. Start again.`);
  if (!(cause instanceof mongo.MongoServerError)) return error;
  const hint = cause.code === unauthorized ? ' Give the user of MONGODB_URI the role readWrite.' : '';
  return says(`The database refuses an operation that the start needs: ${message}.${hint}`);
}

function isFull(cause: unknown): boolean {
  return cause instanceof mongo.MongoServerError && Number(cause.code) === outOfDiskSpace;
}
