import { mongo } from 'mongoose';

/**
 * Indexes in older databases, as collection and name. Mongoose builds declared indexes but drops none. An old unique
 * index would still reject values allowed now, and each index costs every write.
 */
const obsoleteIndexes = [
  ['resync_jobs', 'open_1_guildId_1'],
  ['members', 'state_1'],
  ['members', 'guildId_1_state_1_present_1'],
  ['members', 'guildId_1_state_1_linkedAt_-1__id_-1'],
  ['members', 'guildId_1_state_1_gameUsername_1__id_1'],
  ['members', 'guildId_1_uncounted_1'],
  ['members', 'guildId_1_names_1'],
  ['mappings', 'guildId_1__id_1'],
] as const;

/** Collections of older versions that nothing reads: texts awaiting a confirmation, without an expiry, and counts. */
const obsoleteCollections = ['importDrafts', 'config_drafts', 'linked_counts'] as const;

/** All of the above, for the fingerprint of the build. */
export const obsolete = { obsoleteIndexes, obsoleteCollections };

/** MongoDB's codes for a missing collection (NamespaceNotFound) and a missing index (IndexNotFound). */
const notThere: unknown[] = [26, 27];

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
