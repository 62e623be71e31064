import { isDeepStrictEqual } from 'node:util';
import { trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { inPieces } from '../../lib/in-pieces.js';
import { Members, memberIndexes } from './member-model.js';
import type { Difference, Left, WentBy } from './member-sync-fields.js';

/** Somebody of whom a resync would change something, in a guild that only observes. */
export interface ObservedMember {
  chatUserId: string;
  /** Of the last sync before their facts were read; null: none was made. */
  fence: number | null;
  wentBy: WentBy;
  left: Left;
  difference: Omit<Difference, 'since'>;
}

const mostPerWrite = 200;

/** A difference with the time since when it is exactly this; `before` is the one that was kept. Pure. */
export function sinceThen(now: Omit<Difference, 'since'>, before: Difference | undefined, at: Date): Difference {
  if (before === undefined) return { ...now, since: at };
  const { since, ...was } = before;
  return { ...now, since: isDeepStrictEqual(was, now) ? since : at };
}

/** Keeps with these members what would be done to them, unless they were looked at since. */
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
          $unset: { contested: 1, applying: 1 },
        },
        hint: memberIndexes.chatUserId,
      },
    }));
    await collection.bulkWrite(writes, { ordered: false });
  }
}
