import { trusted } from 'mongoose';
import { noRanks } from '../../../platforms/roblox/held-roles.js';
import { type GroupRoles, readMembershipsOfMany } from '../../../platforms/roblox/memberships.js';
import { noteMissing } from '../../accounts/account-gone.js';
import { type Member, Members, memberIndexes } from '../../members/member-model.js';

/**
 * The game ranks for a guild's people. They are read past the cache and only once, in the fewest calls for many at the
 * same time (RESYNC-14). Equal ranks are one object.
 */
export class GuildRanks {
  readonly #ranks = new Map<string, GroupRoles>();
  /** Accounts that Roblox did not answer about. Nothing may be concluded for them. */
  readonly #unknown = new Set<string>();

  constructor(
    readonly groupIds: readonly string[],
    readonly signal: AbortSignal,
  ) {}

  /** Reads the ranks for accounts that were not read before. Throws GamePlatformUnavailable, or the signal's reason. */
  async read(gameUserIds: readonly string[]): Promise<void> {
    if (this.groupIds.length === 0) return;
    const wanted = gameUserIds.filter((id) => !this.#ranks.has(id) && !this.#unknown.has(id));
    const found = await readMembershipsOfMany(wanted, this.groupIds, { signal: this.signal });
    for (const id of wanted) {
      const ranks = found.get(id);
      if (ranks !== undefined) this.#ranks.set(id, ranks);
      else {
        this.#unknown.add(id);
        await noteMissing(id);
      }
    }
  }

  /** An account's ranks; undefined if it was not read or Roblox does not know it. */
  of(gameUserId: string): GroupRoles | undefined {
    return this.groupIds.length === 0 ? noRanks : this.#ranks.get(gameUserId);
  }
}

/**
 * The game accounts that a guild's linked people have, or those among `memberIds`. Fills `fences` with the fence from
 * each person's last recorded sync.
 */
export async function linkedGameAccounts(
  guildId: string,
  { memberIds, fences }: { memberIds: readonly string[] | undefined; fences: Map<string, number | null> },
): Promise<string[]> {
  const among = memberIds === undefined ? {} : { chatUserId: trusted({ $in: [...memberIds] }) };
  const stays = { state: 'linked' as const, present: true, goneSince: trusted({ $exists: false }) };
  const linked = Members.acrossGuilds
    .find({ guildId, ...stays, ...among }, { _id: 0, gameUserId: 1, chatUserId: 1, syncFence: 1, applying: 1 })
    .hint(memberIds === undefined ? memberIndexes.linkedAt : memberIndexes.chatUserId)
    .lean<Pick<Member, 'gameUserId' | 'chatUserId'> & Partial<Member>>();
  const ids: string[] = [];
  for await (const { gameUserId, chatUserId, ...member } of linked.cursor({ batchSize: 5_000 })) {
    if (gameUserId !== undefined) ids.push(gameUserId);
    fences.set(chatUserId, recordedFence(member));
  }
  return ids;
}

/** The fence in a plan that was made while a sync was under way: whatever is recorded then is newer than the plan. */
export const underWay = -1;

/** The fence from a member's last recorded sync; null: none was made. A sync stores its own when it begins to write. */
export const recordedFence = ({
  syncFence,
  applying,
}: Partial<Pick<Member, 'syncFence' | 'applying'>>): number | null =>
  applying === undefined ? (syncFence ?? null) : underWay;
