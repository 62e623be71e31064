import { Types, trusted } from 'mongoose';
import { clock } from '../../../lib/clock.js';
import type { PlannedMember, PlannedPage } from '../plan/guild-plan.js';
import { hasWork, isSingle, type SyncPlan } from '../plan/plan.js';
import { type ChangeKind, type ResyncChange, ResyncChanges } from './resync-change-model.js';
import type { ResyncJob } from './resync-job-model.js';

/** How many are written at once: more would hold up the event loop. */
const mostPerWrite = 200;

type JobRef = Pick<ResyncJob, '_id' | 'guildId'>;

/** Stores what is to be done for these members. `page` is the Discord id behind which they were found. */
export async function storeChanges(
  job: JobRef,
  members: readonly PlannedMember[],
  { page, asOf }: { page: string; asOf: PlannedPage['asOf'] },
): Promise<void> {
  const changes = members.filter(({ plan }) => hasWork(plan)).map((member) => changeFrom(job, member, page, asOf));
  for (let start = 0; start < changes.length; start += mostPerWrite) {
    await ResyncChanges.acrossGuilds.insertMany(changes.slice(start, start + mostPerWrite));
  }
}

function changeFrom(job: JobRef, planned: PlannedMember, page: string, asOf: Date): ResyncChange {
  const { member, plan, state, gameUserId, absentFrom } = planned;
  const { add, remove, nickname, blocked } = plan;
  return {
    _id: new Types.ObjectId(),
    guildId: job.guildId,
    jobId: job._id,
    chatUserId: member.chatUserId,
    chatUsername: member.username,
    page,
    add,
    remove,
    ...(nickname !== undefined && { nickname }),
    blocked,
    kind: kindOf(plan),
    seen: { roleIds: member.roleIds, nickname: member.nickname },
    standing: { state, gameUserId },
    absentFrom,
    asOf,
    state: 'pending',
    attempts: 0,
    dueAt: clock.now(),
  };
}

function kindOf(plan: SyncPlan): ChangeKind {
  if (!isSingle(plan)) return 'edit';
  return plan.add.length === 1 ? 'give' : 'take';
}

/** The first changes of a kind that are due, in the order of planning. */
export function dueChanges({ _id, guildId }: JobRef, kind: ChangeKind, limit: number): Promise<ResyncChange[]> {
  const due = { guildId, jobId: _id, state: 'pending', kind, dueAt: trusted({ $lte: clock.now() }) } as const;
  return ResyncChanges.find(due, { sort: { dueAt: 1, _id: 1 }, limit });
}

/** When the next pending change of a kind is due; null when none is left. */
export async function nextDueAt({ _id, guildId }: JobRef, kind: ChangeKind): Promise<Date | null> {
  const pending = { guildId, jobId: _id, state: 'pending', kind } as const;
  const [next] = await ResyncChanges.find(pending, { sort: { dueAt: 1, _id: 1 }, limit: 1 });
  return next?.dueAt ?? null;
}

export async function updateChange(
  { _id, guildId }: ResyncChange,
  fields: Partial<Pick<ResyncChange, 'state' | 'attempts' | 'dueAt' | 'blocked'>>,
): Promise<void> {
  await ResyncChanges.update({ _id, guildId }, { $set: fields });
}

/** How many members would lose roles. */
export function countLosing({ _id, guildId }: JobRef): Promise<number> {
  return ResyncChanges.count({ guildId, jobId: _id, state: 'pending', 'remove.0': trusted({ $exists: true }) });
}

/** What became of a job's changes, counted: the job's own counters miss what a killed process did not note. */
export async function countApplied({ _id, guildId }: JobRef): Promise<ResyncJob['applied']> {
  const of = (state: ResyncChange['state']) => ResyncChanges.count({ guildId, jobId: _id, state });
  const blockedDone = { state: trusted({ $ne: 'pending' as const }), 'blocked.0': trusted({ $exists: true }) };
  const [changed, skipped, failed, blocked] = await Promise.all([
    of('done'),
    of('skipped'),
    of('failed'),
    ResyncChanges.count({ guildId, jobId: _id, ...blockedDone }),
  ]);
  return { changed, skipped, failed, blocked };
}

/** Removes the changes of a job, or of one of its pages: that which a killed process had not finished storing. */
export async function removeChanges({ _id, guildId }: JobRef, page?: string): Promise<void> {
  await ResyncChanges.acrossGuilds.deleteMany({ guildId, jobId: _id, ...(page !== undefined && { page }) });
}
