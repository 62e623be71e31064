import { Members, memberIndexes } from './member-model.js';
import type { RefusedPart } from './member-sync-fields.js';

/** Something that Discord refuses to members of a guild, to how many, and what it said to one of them. */
export interface RefusalCount {
  /** Null: their nicknames. */
  roleId: string | null;
  roleName: string | null;
  words: string;
  count: number;
}

/** What Discord refuses to the people in a guild; `within` is where its refusals lie in `blockedBy`. */
export async function countRefusals(guildId: string, within: { $gte: string; $lt: string }): Promise<RefusalCount[]> {
  const there = { guildId, blockedBy: { $elemMatch: within }, present: true };
  type Group = { _id: string | null; roleName: RefusedPart['name']; words: string; count: number };
  const groups = await Members.acrossGuilds
    .aggregate<Group>([
      { $match: there },
      { $unwind: '$refused' },
      {
        $group: {
          _id: { $ifNull: ['$refused.roleId', null] },
          roleName: { $first: '$refused.name' },
          words: { $first: '$refused.words' },
          count: { $sum: 1 },
        },
      },
    ])
    .hint(memberIndexes.blockedBy)
    .exec();
  return groups.map(({ _id: roleId, roleName, words, count }) => ({
    ...{ roleId, words, count },
    roleName: roleId === null ? null : roleName,
  }));
}
