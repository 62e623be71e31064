import { trusted } from 'mongoose';
import { type Member, Members } from './member-model.js';

/** Who was linked at `since` or later, in all guilds, by the time of the link; `atOnce` in a piece. */
export async function* linkedSince(since: Date, atOnce: number) {
  const found = Members.acrossGuilds.collection.find<
    Required<Pick<Member, 'guildId' | 'chatUserId' | 'gameUserId' | 'linkedAt'>>
  >(
    { linkedAt: { $gte: since } },
    {
      sort: { linkedAt: 1 },
      hint: { linkedAt: 1 },
      batchSize: atOnce,
      projection: { guildId: 1, chatUserId: 1, gameUserId: 1, linkedAt: 1 },
    },
  );
  let piece = [];
  for await (const link of found) {
    piece.push(link);
    if (piece.length < atOnce) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}

/** Where the accounts of these people are linked, by gameUserId: the guilds in which the person is present. */
export async function guildsOfAccounts(chatUserIds: readonly string[]): Promise<Map<string, string[]>> {
  const theirs = { chatUserId: trusted({ $in: [...chatUserIds] }), state: 'linked' as const };
  const shown = { _id: 0, guildId: 1, gameUserId: 1, present: 1 } as const;
  const found = Members.acrossGuilds.find(theirs, shown).hint({ chatUserId: 1 });
  const guilds = new Map<string, string[]>();
  for (const { gameUserId = '', guildId, present } of await found.lean<Member[]>()) {
    const those = guilds.get(gameUserId) ?? [];
    guilds.set(gameUserId, present ? [...those, guildId] : those);
  }
  return guilds;
}
