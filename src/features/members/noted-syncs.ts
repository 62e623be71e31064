import { inPieces } from '../../lib/in-pieces.js';
import { Members, memberIndexes } from './member-model.js';
import type { Left, WentBy } from './member-sync-fields.js';

/** Somebody whom a resync found in step: what it went by, and what is left of them. */
export interface InStepMember {
  chatUserId: string;
  /** Of the last sync before their facts were read; null: none was made. */
  fence: number | null;
  wentBy: WentBy;
  left: Left;
}

const mostPerWrite = 200;

/** Keeps what a resync went by with the people to whom it has nothing to do, unless they were synced since. */
export async function noteInStep(guildId: string, members: readonly InStepMember[]): Promise<void> {
  const writes = members.map(({ chatUserId, fence, wentBy, left }) => ({
    updateOne: {
      filter: { guildId, chatUserId, syncFence: fence ?? { $exists: false } },
      update: { $set: { wentBy, left }, $unset: { contested: 1, difference: 1 } },
      hint: memberIndexes.chatUserId,
    },
  }));
  const { collection } = Members.acrossGuilds;
  for (const some of inPieces(writes, mostPerWrite)) await collection.bulkWrite(some, { ordered: false });
}
