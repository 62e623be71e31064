import type { Actor } from '../../../core/actors/actor.js';
import { readSettings } from '../../../core/settings/settings-service.js';
import type { StoredPlan } from '../../../features/sync/plan/plan-model.js';
import { readResync, startResync } from '../../../features/sync/resync/resync-service.js';
import { t } from '../../../lib/translate.js';
import { followedReply } from '../replies/followed-reply.js';
import type { FollowedReply } from '../replies/reply-answer.js';
import { isOver, resyncProgress } from '../replies/reply-resync.js';
import { observingLine } from '../replies/reply-sync.js';
import type { Entrance } from './command-access.js';
import { pressable } from './command-mention.js';

/**
 * A resync's progress for a person with `actor`'s role, with `note` above it; edited until the resync ends. The data
 * comes from the database, so /resync status works after a restart too. One that goes live is no observing.
 */
export async function followedResync(job: StoredPlan, { role }: Actor, note?: string): Promise<FollowedReply> {
  const observed = job.goesLive === true ? [] : observingLine(await readSettings(job.guildId));
  const above = (remark: string | undefined) => [...observed, ...(remark === undefined ? [] : [remark])].join('\n');
  return followedReply<StoredPlan>(job, {
    read: () => readResync({ _id: job.guildId }, job._id),
    isOver,
    show: (now, isLast) => resyncProgress(now, role, above(isLast ? pressable('resync.use_status') : note)),
  });
}

/** Starts resyncing all members, or shows the running one. Throws as `startResync` does. */
export async function beginResync({ guild, actor }: Entrance): Promise<FollowedReply> {
  const { job, isNew } = await startResync(guild, actor);
  return followedResync(job, actor, isNew ? undefined : t('resync.already'));
}
