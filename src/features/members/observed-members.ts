import { isDeepStrictEqual } from 'node:util';
import { trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { inPieces } from '../../lib/in-pieces.js';
import { Members, memberIndexes } from './member-model.js';
import type { Difference, Left, WentBy } from './member-sync-fields.js';

export interface ObservedMember {
  chatUserId: string;
  /** The fence of the last sync before their facts were read; null: none was made. */
  fence: number | null;
  wentBy: WentBy;
  left: Left;
  difference: Omit<Difference, 'since'>;
}

const mostPerWrite = 200;

/** A difference with the time since when it is exactly this; `before` is the stored one. Pure. */
export function sinceThen(now: Omit<Difference, 'since'>, before: Difference | undefined, at: Date): Difference {
  if (before === undefined) return { ...now, since: at };
  const { since, ...was } = before;
  return { ...now, since: isDeepStrictEqual(was, now) ? since : at };
}

/** Stores the differences with these members, unless they were synced since. */
export async function noteObserved(guildId: string, members: readonly ObservedMember[]): Promise<void> {
  const at = clock.now();
  const { collection } = Members.acrossGuilds;
  for (const some of inPieces(members, mostPerWrite)) {
    const ids = some.map(({ chatUserId }) => chatUserId);
    const theirs = { guildId, chatUserId: trusted({ $in: ids }) };
    const found = await Members.find(theirs, { hint: memberIndexes.chatUserId });
    const before = new Map(found.map(({ chatUserId, difference }) => [chatUserId, difference]));
    const writes = some.map(({ chatUserId, fence, wentBy, left, difference }) => ({
      updateOne: {
        filter: { guildId, chatUserId, syncFence: fence ?? { $exists: false } },
        update: {
          $set: { wentBy, left, difference: sinceThen(difference, before.get(chatUserId), at) },
          $unset: { contested: 1 },
        },
        hint: memberIndexes.chatUserId,
      },
    }));
    await collection.bulkWrite(writes, { ordered: false });
  }
}
