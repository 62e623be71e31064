import { trusted } from 'mongoose';
import type { ErasedPerson, HeldAccount } from '../../core/actors/actor.js';
import { dayMs, secondMs } from '../../lib/time.js';
import { removeInSteps } from '../../platforms/database/in-steps.js';
import { outboxIsEmpty } from '../../platforms/events/outbox.js';
import { byAccount, firstIdAt, type RankChange, RankChanges } from './rank-change-model.js';

/** How long changes are listed. */
const keptMs = 30 * dayMs;

/** The changes of a person's own ranks, also of these accounts without a member, and those by them. */
export async function rankChangesOf(chatUserId: string, accounts: readonly HeldAccount[]): Promise<RankChange[]> {
  const found = await Promise.all([
    RankChanges.acrossGuilds.find({ chatUserId }).hint({ chatUserId: 1 }).lean<RankChange[]>(),
    ...accounts.map((account) =>
      RankChanges.acrossGuilds.find(ofAccount(account)).hint(byAccount).lean<RankChange[]>(),
    ),
    RankChanges.acrossGuilds.find({ by: chatUserId }).lean<RankChange[]>(),
  ]);
  return [...new Map(found.flat().map((change) => [change._id, change])).values()];
}

/** Changes of an account without a member at that time. */
const ofAccount = ({ gameUserId, guildId }: HeldAccount) => ({
  ...{ gameUserId, chatUserId: trusted({ $exists: false }) },
  ...(guildId !== undefined && { guildId }),
});

/** Removes these accounts' changes without a member. */
export async function eraseRankChangesOf(accounts: readonly HeldAccount[]): Promise<void> {
  for (const account of accounts) await RankChanges.acrossGuilds.deleteMany(ofAccount(account)).hint(byAccount);
}

/**
 * Removes the changes of an erased person's ranks, or of one account's alone, and their name from those by them
 * (PRIV-3).
 */
export async function eraseFromRankChanges(
  { chatUserId, pseudonym }: ErasedPerson,
  accounts: readonly HeldAccount[],
  gameUserId?: string,
): Promise<void> {
  const about = { chatUserId, ...(gameUserId !== undefined && { gameUserId }) };
  await RankChanges.acrossGuilds.deleteMany(about).hint({ chatUserId: 1 });
  await eraseRankChangesOf(accounts);
  if (gameUserId !== undefined) return;
  const actor = { kind: 'user' as const, id: pseudonym, name: pseudonym };
  await RankChanges.acrossGuilds.updateMany({ by: chatUserId, 'actor.id': chatUserId }, { $set: { actor } });
  await RankChanges.acrossGuilds.updateMany({ by: chatUserId }, { $set: { by: pseudonym } });
}

/** Removes changes after a month. */
export async function purgeRankChanges(now: Date): Promise<void> {
  const until = new Date(now.getTime() - keptMs);
  const byId = { _id: trusted({ $lt: firstIdAt(new Date(until.getTime() + secondMs)) }) };
  const old = { ...byId, at: trusted({ $lt: until }), ...outboxIsEmpty };
  await removeInSteps(RankChanges.acrossGuilds, old, { _id: 1 });
}
