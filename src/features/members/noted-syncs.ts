import { inPieces } from '../../lib/in-pieces.js';
import { announceLookUp } from './look-up-changes.js';
import { Members, memberIndexes } from './member-model.js';
import type { Left, WentBy } from './member-sync-fields.js';

/** A member that a resync leaves as they are: the ranks that it used, and their remaining state. */
export interface NotedMember {
  chatUserId: string;
  /** The last sync's fence before their facts were read; null: none was made. */
  fence: number | null;
  wentBy: WentBy;
  left: Left;
  /** Whether they are out of step, in a guild in observe mode. */
  differs: boolean;
  /** Their Roblox id, where their look-up shows other roles than before. */
  shownAnew?: string | undefined;
}

const mostPerWrite = 200;

/** Stores the ranks that a resync used for members without changes, unless they were synced since. */
export async function noteUnchanged(guildId: string, members: readonly NotedMember[]): Promise<void> {
  const writes = members.map(({ chatUserId, fence, wentBy, left, differs }) => ({
    updateOne: {
      filter: { guildId, chatUserId, syncFence: fence ?? { $exists: false } },
      update: {
        $set: { wentBy, left, ...(differs && { differs }) },
        $unset: { contested: 1, ...(!differs && { differs: 1 }) },
      },
      hint: memberIndexes.chatUserId,
    },
  }));
  const { collection } = Members.acrossGuilds;
  for (const some of inPieces(writes, mostPerWrite)) await collection.bulkWrite(some, { ordered: false });
  announceLookUp(guildId, ...members.map(({ shownAnew }) => shownAnew));
}
