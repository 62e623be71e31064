import type { mongo } from 'mongoose';

/** Older versions' collections that nothing reads: texts awaiting a confirmation, without an expiry, and counts. */
export const obsoleteCollections = ['importDrafts', 'config_drafts', 'linked_counts', 'hand_removals'] as const;

export async function dropObsolete(db: mongo.Db): Promise<void> {
  for (const collection of obsoleteCollections) await db.dropCollection(collection);
}
