import { trusted } from 'mongoose';
import type { ErasedPerson } from '../../../core/actors/actor.js';
import { Plans, resyncState, type StoredPlan } from '../plan/plan-model.js';
import { PlannedChanges } from '../plan/planned-change-model.js';

/** The last month's resyncs that a person began. */
export function resyncsBegunBy(chatUserId: string): AsyncIterable<StoredPlan> {
  const state = trusted({ $in: resyncState.options });
  const theirs = { 'actor.kind': 'user' as const, 'actor.id': chatUserId, state };
  return Plans.acrossGuilds.find(theirs).sort({ _id: 1 }).lean<StoredPlan>().cursor();
}

/**
 * Removes one account of a person from all plans after its end: the changes that were planned by it, and in guilds that
 * have used it all others, since they show nicknames. The differences of an observing guild are those of the last sync.
 */
export async function eraseGameFromPlans(
  chatUserId: string,
  gameUserId: string,
  guildIds: readonly string[],
): Promise<void> {
  await PlannedChanges.acrossGuilds.deleteMany({ chatUserId, 'standing.gameUserId': gameUserId });
  const there = { guildId: trusted({ $in: [...guildIds] }), observed: trusted({ $exists: false }) };
  await PlannedChanges.acrossGuilds.deleteMany({ chatUserId, ...there });
}

/**
 * Removes an erased person from all plans, and from the resyncs that they began; those are kept for a month. A running
 * one leaves them to the syncs of their erasure.
 */
export async function eraseFromResyncs({
  chatUserId,
  pseudonym,
}: Pick<ErasedPerson, 'chatUserId' | 'pseudonym'>): Promise<void> {
  const begun = { 'actor.kind': 'user' as const, 'actor.id': chatUserId };
  await Plans.acrossGuilds.updateMany(begun, { $set: { 'actor.id': pseudonym, 'actor.name': pseudonym } });
  await PlannedChanges.acrossGuilds.deleteMany({ chatUserId });
  const about = { memberIds: chatUserId, 'memberIds.0': trusted({ $exists: true }) };
  await Plans.acrossGuilds.updateMany({ ...about, open: true }, { $pull: { memberIds: chatUserId } });
  await Plans.acrossGuilds.updateMany(about, { $set: { 'memberIds.$': pseudonym } });
}
