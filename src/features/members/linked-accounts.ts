import { trusted } from 'mongoose';
import { type Member, Members, memberIndexes } from './member-model.js';
import type { WentBy } from './member-sync-fields.js';

/** Members linked at `since` or later in all guilds, by link time; `atOnce` per batch. */
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

export interface LinkedGuild {
  guildId: string;
  /** The ranks used by the person's last sync; undefined before the first. */
  wentBy: WentBy | undefined;
  isPending: boolean;
  isGone: boolean;
}

/** The guilds in which these people are linked and present, by gameUserId. */
export async function guildsOfAccounts(chatUserIds: readonly string[]): Promise<Map<string, LinkedGuild[]>> {
  const theirs = { chatUserId: trusted({ $in: [...chatUserIds] }), state: 'linked' as const };
  const shown = { _id: 0, guildId: 1, gameUserId: 1, present: 1, wentBy: 1, 'owedSync.id': 1, goneSince: 1 } as const;
  const found = Members.acrossGuilds.find(theirs, shown).hint({ chatUserId: 1 });
  const guilds = new Map<string, LinkedGuild[]>();
  for (const member of await found.lean<Member[]>()) {
    const { gameUserId = '', guildId, present, wentBy, owedSync: pendingSync, goneSince } = member;
    const those = guilds.get(gameUserId) ?? [];
    const linked = { guildId, wentBy, isPending: pendingSync !== undefined, isGone: goneSince !== undefined };
    guilds.set(gameUserId, present ? [...those, linked] : those);
  }
  return guilds;
}

/**
 * The accounts that were last synced, in any guild, as a role's holders (`held-ranks.ts`) by a reading before
 * `readBefore`.
 */
export async function accountsSyncedAs(held: string, readBefore: Date): Promise<string[]> {
  const theirs = {
    'wentBy.held': held,
    'wentBy.readAt': trusted({ $lt: readBefore }),
    state: 'linked' as const,
    present: true,
    goneSince: trusted({ $exists: false }),
  };
  const found = Members.acrossGuilds.find(theirs, { _id: 0, gameUserId: 1 }).hint(memberIndexes.wentByHeld);
  return (await found.lean<Member[]>()).flatMap(({ gameUserId }) => gameUserId ?? []);
}
