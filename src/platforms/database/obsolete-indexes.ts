import { mongo } from 'mongoose';

/**
 * Indexes that databases of before have, as collection and name. Mongoose builds what a model declares and drops nothing,
 * a unique index goes on to refuse what the service allows by now, and each costs every write.
 */
const obsoleteIndexes = [
  ['resync_jobs', 'open_1_guildId_1'],
  ['members', 'state_1'],
  ['members', 'guildId_1_state_1_present_1'],
  ['members', 'guildId_1_state_1_linkedAt_-1__id_-1'],
  ['members', 'guildId_1_state_1_gameUsername_1__id_1'],
  ['members', 'guildId_1_uncounted_1'],
] as const;

/** Collections of before, which nothing reads any more: texts that waited for a confirmation without an end, and counts. */
const obsoleteCollections = ['importDrafts', 'config_drafts', 'linked_counts'] as const;

/** All of the above, for the fingerprint of what was built. */
export const obsolete = { obsoleteIndexes, obsoleteCollections };

/** MongoDB's codes: there is no such collection (NamespaceNotFound), no such index (IndexNotFound). */
const notThere: unknown[] = [26, 27];

/** Drops the indexes and collections of before that are there. */
export async function dropObsolete(db: mongo.Db): Promise<void> {
  for (const [collection, index] of obsoleteIndexes) await ifThere(() => db.collection(collection).dropIndex(index));
  for (const collection of obsoleteCollections) await ifThere(() => db.collection(collection).drop());
}

async function ifThere(drop: () => Promise<unknown>): Promise<void> {
  try {
    await drop();
  } catch (error) {
    if (!(error instanceof mongo.MongoServerError && notThere.includes(error.code))) throw error;
  }
}
