import { clock } from '../../lib/clock.js';
import { changedGroups, heldIn } from '../members/held-ranks.js';
import type { LinkedGuild } from '../members/linked-accounts.js';
import { enqueueSync } from '../members/member-service.js';
import { groupsNamedNow } from './rank-interests.js';

/** One account's current reading, and the previous one. */
export interface Reading {
  gameUserId: string;
  chatUserId: string;
  readAt: Date;
  /** The groups that were read, and the roles held there. */
  groupIds: readonly string[];
  held: readonly string[];
  /** The account's roles when last seen. */
  before: readonly string[];
  /** Whether the account has just been linked and not been read before. */
  isFresh: boolean;
  linkedIn: readonly LinkedGuild[];
}

/**
 * The groups in which a reading differs from the ranks used by the person's last sync in a guild (RANK-5). For a group
 * unknown to that sync, the previous reading is compared. A pending sync will see the same, unless the difference is
 * new. Pure, except for the clock.
 */
function groupsToSync(reading: Reading, { wentBy, isPending, isGone }: LinkedGuild): string[] {
  const { gameUserId, readAt, groupIds, held, before, isFresh } = reading;
  const known = wentBy?.gameUserId === gameUserId && wentBy.gone === undefined ? wentBy : undefined;
  if (isGone || (known !== undefined && isLater(known.readAt, readAt))) return [];
  const changed = new Set(changedGroups(before, held));
  return groupIds.filter((groupId) => {
    const basis = known && heldIn(groupId, known.held);
    if (basis === undefined) return isFresh || changed.has(groupId);
    return basis !== heldIn(groupId, held) && (!isPending || changed.has(groupId));
  });
}

/**
 * Whether a time is later than another. A time in the future dates from before the clock was set back, and does not
 * count.
 */
export const isLater = (at: Date, than: Date): boolean => at > than && at <= clock.now();

/**
 * Enqueues syncs for readings that differ from the last syncs, in the guilds that currently use the group; `paced`
 * waits before each. Returns the accounts with a difference.
 */
export async function enqueueNewer(readings: readonly Reading[], paced: () => Promise<void>): Promise<Set<string>> {
  const due = readings.flatMap((reading) =>
    reading.linkedIn.flatMap((linked) => {
      const groupIds = groupsToSync(reading, linked);
      return groupIds.length === 0 ? [] : { reading, guildId: linked.guildId, groupIds };
    }),
  );
  const named = await groupsNamedNow(due.map(({ guildId }) => guildId));
  const differing = new Set<string>();
  for (const { reading, guildId, groupIds } of due) {
    if (!named.get(guildId)?.some((groupId) => groupIds.includes(groupId))) continue;
    differing.add(reading.gameUserId);
    await paced();
    await enqueueSync(guildId, reading.chatUserId, 'rank_change');
  }
  return differing;
}
