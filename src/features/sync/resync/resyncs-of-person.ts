import { trusted } from 'mongoose';
import type { ErasedPerson } from '../../../core/actors/actor.js';
import { byMember, ResyncChanges } from './resync-change-model.js';
import { type ResyncJob, ResyncJobs } from './resync-job-model.js';

/** The resyncs of the last month that a person began. */
export function resyncsBegunBy(chatUserId: string): AsyncIterable<ResyncJob> {
  const theirs = { 'actor.kind': 'user' as const, 'actor.id': chatUserId };
  return ResyncJobs.acrossGuilds.find(theirs).sort({ _id: 1 }).lean<ResyncJob>().cursor();
}

/**
 * Removes an erased person from the resyncs that they began or were part of; those are kept for a month. A running one
 * leaves them to the syncs of their erasure.
 */
export async function eraseFromResyncs({ chatUserId, pseudonym }: ErasedPerson): Promise<void> {
  const begun = { 'actor.kind': 'user' as const, 'actor.id': chatUserId };
  await ResyncJobs.acrossGuilds.updateMany(begun, { $set: { 'actor.id': pseudonym, 'actor.name': pseudonym } });
  for (const { _id: jobId } of await ResyncJobs.acrossGuilds
    .find({ open: true }, { _id: 1 })
    .lean<{ _id: string }[]>()) {
    await ResyncChanges.acrossGuilds.deleteMany({ jobId, chatUserId }).hint(byMember);
  }
  const about = { memberIds: chatUserId, 'memberIds.0': trusted({ $exists: true }) };
  await ResyncJobs.acrossGuilds.updateMany({ ...about, open: true }, { $pull: { memberIds: chatUserId } });
  await ResyncJobs.acrossGuilds.updateMany(about, { $set: { 'memberIds.$': pseudonym } });
}
