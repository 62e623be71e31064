import { trusted } from 'mongoose';
import type { GuildMember } from '../../platforms/discord/guild-members.js';
import { ImportRows, type PairProblem, type PeopleImport, rowId } from './people-import-model.js';
import type { Pair } from './people-list.js';

/** Stores the pairs with the nicknames before the import, so that a kill loses nothing for an undo. */
export async function keepBefore(
  { _id: importId, guildId }: PeopleImport,
  pairs: readonly Pair[],
  members: ReadonlyMap<string, GuildMember>,
): Promise<void> {
  if (pairs.length === 0) return;
  const writes = pairs.flatMap(({ chatUserId, gameUserId }) => {
    const _id = rowId(importId, chatUserId, gameUserId);
    const nickname = members.get(chatUserId)?.nickname ?? null;
    const fresh = { _id, nickname: trusted({ $exists: false }) };
    return [
      {
        updateOne: {
          filter: { _id },
          update: { $setOnInsert: { guildId, importId, chatUserId, gameUserId } },
          upsert: true,
        },
      },
      { updateOne: { filter: fresh, update: { $set: { nickname } } } },
    ];
  });
  await ImportRows.acrossGuilds.bulkWrite(writes);
}

/** Lists a pair that was not imported, with the reason. */
export async function listPair(
  { _id: importId, guildId }: PeopleImport,
  { chatUserId, gameUserId }: Pair,
  problem: PairProblem,
): Promise<void> {
  const _id = rowId(importId, chatUserId, gameUserId);
  await ImportRows.upsert({ _id, guildId }, { $set: { importId, chatUserId, gameUserId, problem } });
}
