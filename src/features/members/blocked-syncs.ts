import { trusted } from 'mongoose';
import { inSteps } from '../../platforms/database/in-steps.js';
import { type Member, Members, memberIndexes, newcomer } from './member-model.js';
import { pendingSync } from './pending-syncs.js';

/** A member with a due change that is blocked, and the obstacles. */
export interface BlockedMember {
  chatUserId: string;
  username: string;
  blockedBy: readonly string[];
}

/** Stores these members' obstacles, as each one's sync would. Members unknown to the guild are added. */
export async function noteBlocked(guildId: string, members: readonly BlockedMember[]): Promise<void> {
  if (members.length === 0) return;
  const writes = members.map(({ chatUserId, username, blockedBy }) => ({
    updateOne: {
      filter: { guildId, chatUserId },
      update: {
        $set: { blockedBy: [...blockedBy] },
        $setOnInsert: { ...newcomer({ username }), present: true, syncs: [] },
      },
      upsert: true,
    },
  }));
  await Members.acrossGuilds.bulkWrite(writes, { ordered: false });
}

/** Adds an obstacle to those that these members have. */
export async function addObstacle(guildId: string, chatUserIds: readonly string[], obstacle: string): Promise<void> {
  const theirs = { guildId, chatUserId: trusted({ $in: [...chatUserIds] }) };
  await Members.acrossGuilds
    .updateMany(theirs, { $addToSet: { blockedBy: obstacle } })
    .hint(memberIndexes.chatUserId)
    .exec();
}

/** Removes an obstacle from all guild members, step by step, or from these. It enqueues no sync. */
export async function removeObstacle(
  guildId: string,
  obstacle: string,
  chatUserIds?: readonly string[],
): Promise<void> {
  const among = chatUserIds && { chatUserId: trusted({ $in: [...chatUserIds] }) };
  await inSteps<Member>(
    Members.acrossGuilds,
    { guildId, blockedBy: obstacle, ...among },
    memberIndexes.blockedBy,
    (some) =>
      Members.acrossGuilds
        .updateMany(some, { $pull: { blockedBy: obstacle } })
        .hint({ _id: 1 })
        .exec(),
  );
}

/** Removes these members' stored obstacles. */
export async function noteUnblocked(guildId: string, chatUserIds: readonly string[]): Promise<void> {
  if (chatUserIds.length === 0) return;
  await Members.acrossGuilds.updateMany(
    { guildId, chatUserId: trusted({ $in: [...chatUserIds] }) },
    { $unset: { blockedBy: 1 } },
  );
}

/** How many members are blocked, and the first ones. */
export interface BlockedCount {
  count: number;
  chatUserIds: string[];
}

/** How many members these obstacles block, and the first ones. */
export async function findBlocked(guildId: string, obstacles: readonly string[], limit: number): Promise<BlockedCount> {
  const those = { guildId, present: true, blockedBy: trusted({ $in: [...obstacles] }) };
  const [count, first] = await Promise.all([
    Members.acrossGuilds.countDocuments(those).hint(memberIndexes.blockedBy),
    Members.acrossGuilds
      .find(those, { _id: 0, chatUserId: 1 })
      .hint(memberIndexes.blockedBy)
      .limit(limit)
      .lean<Pick<Member, 'chatUserId'>[]>(),
  ]);
  return { count, chatUserIds: first.map(({ chatUserId }) => chatUserId) };
}

/** Enqueues a sync for members blocked by these obstacles, which are gone from the guild, step by step. */
export async function enqueueBlocked(guildId: string, gone: readonly string[]): Promise<void> {
  if (gone.length === 0) return;
  const freed = { guildId, present: true, blockedBy: trusted({ $in: [...gone] }) };
  await inSteps<Member>(Members.acrossGuilds, freed, memberIndexes.blockedBy, (some) =>
    Members.acrossGuilds
      .updateMany(some, { $set: pendingSync('resync'), $pullAll: { blockedBy: [...gone] } })
      .hint({ _id: 1 })
      .exec(),
  );
}

export async function obstaclesWithin(guildId: string, range: { $gte: string; $lt: string }): Promise<string[]> {
  const found = await Members.acrossGuilds
    .aggregate<{ _id: string }>([
      { $match: { guildId, blockedBy: { $elemMatch: range } } },
      { $unwind: '$blockedBy' },
      { $match: { blockedBy: range } },
      { $group: { _id: '$blockedBy' } },
    ])
    .hint(memberIndexes.blockedBy)
    .exec();
  return found.map(({ _id }) => _id);
}

export async function obstaclesOfGuilds(guildIds: readonly string[]): Promise<Map<string, string[]>> {
  const found = await Members.acrossGuilds
    .aggregate<{ _id: string; obstacles: string[] }>([
      { $match: { guildId: { $in: [...guildIds] }, blockedBy: { $exists: true } } },
      { $unwind: '$blockedBy' },
      { $group: { _id: '$guildId', obstacles: { $addToSet: '$blockedBy' } } },
    ])
    .hint(memberIndexes.blockedBy)
    .exec();
  return new Map(found.map(({ _id, obstacles }) => [_id, obstacles]));
}
