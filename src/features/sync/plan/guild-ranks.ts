import { trusted } from 'mongoose';
import { type GroupRoles, readMembershipsOfMany } from '../../../platforms/roblox/memberships.js';
import { type Member, Members } from '../../members/member-model.js';

const noRanks: GroupRoles = new Map();

/**
 * The game ranks of a guild's people. They are read past the cache and once only, in the fewest calls when many are
 * asked for at once (SPEC §6.6), and equal ones are one object.
 */
export class GuildRanks {
  readonly #ranks = new Map<string, GroupRoles>();
  /** Roblox was asked about them and said nothing, so that nothing may be concluded. */
  readonly #unknown = new Set<string>();

  constructor(
    readonly groupIds: readonly string[],
    readonly signal: AbortSignal,
  ) {}

  /** Reads of these people whoever was not read before. Throws GamePlatformUnavailable, or the signal's reason. */
  async read(gameUserIds: readonly string[]): Promise<void> {
    if (this.groupIds.length === 0) return;
    const wanted = gameUserIds.filter((id) => !this.#ranks.has(id) && !this.#unknown.has(id));
    const found = await readMembershipsOfMany(wanted, this.groupIds, { signal: this.signal });
    for (const id of wanted) {
      const ranks = found.get(id);
      if (ranks === undefined) this.#unknown.add(id);
      else this.#ranks.set(id, ranks);
    }
  }

  /** Undefined for who was not read, or is not known to Roblox. */
  of(gameUserId: string): GroupRoles | undefined {
    return this.groupIds.length === 0 ? noRanks : this.#ranks.get(gameUserId);
  }
}

/** The game accounts of the linked people who are in a guild, or of those among `memberIds`. */
export async function linkedGameAccounts(guildId: string, memberIds?: readonly string[]): Promise<string[]> {
  const among = memberIds === undefined ? {} : { chatUserId: trusted({ $in: [...memberIds] }) };
  const linked = Members.acrossGuilds
    .find({ guildId, state: 'linked', present: true, ...among }, { _id: 0, gameUserId: 1 })
    .lean<Pick<Member, 'gameUserId'>>();
  const ids: string[] = [];
  for await (const { gameUserId } of linked.cursor({ batchSize: 5_000 })) {
    if (gameUserId !== undefined) ids.push(gameUserId);
  }
  return ids;
}
