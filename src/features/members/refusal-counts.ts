import type { BlockedCount } from './blocked-syncs.js';
import { Members, memberIndexes } from './member-model.js';
import type { RefusedPart } from './member-sync-fields.js';

/** A refusal by Discord: the number of members affected, and the reason given for one of them. */
export interface RefusalCount {
  /** Null: their nicknames. */
  roleId: string | null;
  roleName: string | null;
  words: string;
  count: number;
}

/** The obstacles to look for: refusals by the start of their names, and others by name, naming up to `limit` members. */
interface Wanted {
  refusals: RegExp;
  obstacles: readonly string[];
  limit: number;
}

interface Found {
  refused: { _id: string | null; roleName: RefusedPart['name']; words: string; count: number }[];
  blocked: BlockedCount[];
}

/** Discord's refusals for the members of a guild, and the members blocked by other obstacles, in one command. */
export async function countRefusalsAndBlocked(
  guildId: string,
  { refusals, obstacles, limit }: Wanted,
): Promise<{ refused: RefusalCount[]; blocked: BlockedCount }> {
  const [found] = await Members.acrossGuilds
    .aggregate<Found>([
      { $match: { guildId, blockedBy: { $in: [refusals, ...obstacles] }, present: true } },
      {
        $facet: {
          refused: [
            { $match: { blockedBy: refusals } },
            { $unwind: '$refused' },
            {
              $group: {
                _id: { $ifNull: ['$refused.roleId', null] },
                roleName: { $first: '$refused.name' },
                words: { $first: '$refused.words' },
                count: { $sum: 1 },
              },
            },
          ],
          blocked: [
            { $match: { blockedBy: { $in: [...obstacles] } } },
            {
              $group: {
                _id: null,
                count: { $sum: 1 },
                chatUserIds: { $firstN: { input: '$chatUserId', n: limit } },
              },
            },
          ],
        },
      },
    ])
    .hint(memberIndexes.blockedBy)
    .exec();
  const { count = 0, chatUserIds = [] } = found?.blocked[0] ?? {};
  return { refused: (found?.refused ?? []).map(refusalOf), blocked: { count, chatUserIds } };
}

const refusalOf = ({ _id: roleId, roleName, words, count }: Found['refused'][number]): RefusalCount => ({
  ...{ roleId, words, count },
  roleName: roleId === null ? null : roleName,
});
