import { trusted } from 'mongoose';
import type { ErasedPerson } from '../../core/actors/actor.js';
import { dayMs } from '../../lib/time.js';
import { removeInSteps } from '../../platforms/database/in-steps.js';
import { outboxIsEmpty } from '../../platforms/events/outbox.js';
import { type RankChange, RankChanges } from './rank-change-model.js';

/** How long changes are listed. */
const keptMs = 30 * dayMs;

/** The changes of a person's own ranks, and those by them. */
export async function rankChangesOf(chatUserId: string): Promise<RankChange[]> {
  const [own, made] = await Promise.all([
    RankChanges.acrossGuilds.find({ chatUserId }).hint({ chatUserId: 1 }).lean<RankChange[]>(),
    RankChanges.acrossGuilds.find({ by: chatUserId }).lean<RankChange[]>(),
  ]);
  return [...own, ...made.filter((change) => change.chatUserId !== chatUserId)];
}

/** Removes the changes of an erased person's ranks, and their name from those by them (PRIV-3). */
export async function eraseFromRankChanges(
  { chatUserId, pseudonym }: ErasedPerson,
  gameUserId?: string,
): Promise<void> {
  const about = { chatUserId, ...(gameUserId !== undefined && { gameUserId }) };
  await RankChanges.acrossGuilds.deleteMany(about);
  if (gameUserId !== undefined) return;
  const actor = { kind: 'user' as const, id: pseudonym, name: pseudonym };
  await RankChanges.acrossGuilds.updateMany({ by: chatUserId, 'actor.id': chatUserId }, { $set: { actor } });
  await RankChanges.acrossGuilds.updateMany({ by: chatUserId }, { $set: { by: pseudonym } });
}

/** Removes changes after a month. */
export async function purgeRankChanges(now: Date): Promise<void> {
  const old = { at: trusted({ $lt: new Date(now.getTime() - keptMs) }), ...outboxIsEmpty };
  await removeInSteps(RankChanges.acrossGuilds, old, { at: 1 });
}
