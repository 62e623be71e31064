import type { BlockedCount } from './blocked-syncs.js';
import { Members, memberIndexes } from './member-model.js';
import type { RefusedPart } from './member-sync-fields.js';

/** A refusal by Discord: how many members it affects, and the reason given for one. */
export interface RefusalCount {
  /** Null: their nicknames. */
  roleId: string | null;
  roleName: string | null;
  words: string;
  count: number;
}

/** The obstacles to look for: refusals by how their names start, and groups of others, naming up to `limit` members. */
interface Wanted<Group extends string> {
  refusals: RegExp;
  obstacles: Readonly<Record<Group, readonly string[]>>;
  limit: number;
}

interface Refused {
  _id: string | null;
  roleName: RefusedPart['name'];
  words: string;
  count: number;
}

/** Discord's refusals for a guild's members, and the members blocked by other obstacles, in one command. */
export async function countRefusalsAndBlocked<Group extends string>(
  guildId: string,
  { refusals, obstacles, limit }: Wanted<Group>,
): Promise<{ refused: RefusalCount[]; blocked: (group: Group) => BlockedCount }> {
  const groups = Object.entries<readonly string[]>(obstacles);
  const all = groups.flatMap(([, names]) => names);
  const [found] = await Members.acrossGuilds
    .aggregate<{ refused: Refused[] } & Record<string, BlockedCount[]>>([
      { $match: { guildId, blockedBy: { $in: [refusals, ...all] }, present: true } },
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
          ...Object.fromEntries(groups.map(([group, names]) => [`of_${group}`, countOf(names, limit)])),
        },
      },
    ])
    .hint(memberIndexes.blockedBy)
    .exec();
  const blocked = (group: Group): BlockedCount => {
    const { count = 0, chatUserIds = [] } = found?.[`of_${group}`]?.[0] ?? {};
    return { count, chatUserIds };
  };
  return { refused: (found?.refused ?? []).map(refusalOf), blocked };
}

function countOf(names: readonly string[], limit: number) {
  const chatUserIds = { $firstN: { input: '$chatUserId', n: limit } };
  return [{ $match: { blockedBy: { $in: [...names] } } }, { $group: { _id: null, count: { $sum: 1 }, chatUserIds } }];
}

const refusalOf = ({ _id: roleId, roleName, words, count }: Refused): RefusalCount => ({
  ...{ roleId, words, count },
  roleName: roleId === null ? null : roleName,
});
