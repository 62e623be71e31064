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

/** Discord's refusals for the members of a guild; `within` is their range in `blockedBy`. */
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
