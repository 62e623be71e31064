import { Types, trusted } from 'mongoose';
import { clock } from '../../../lib/clock.js';
import { inPieces } from '../../../lib/in-pieces.js';
import { removeInSteps } from '../../../platforms/database/in-steps.js';
import { type Member, Members, memberIndexes } from '../../members/member-model.js';
import type { PlannedMember, PlannedPage } from '../plan/guild-plan.js';
import { hasWork, isSingle, type SyncPlan } from '../plan/plan.js';
import {
  byDue,
  byMember,
  type ChangeKind,
  changeKinds,
  type ResyncChange,
  ResyncChanges,
} from './resync-change-model.js';
import type { ResyncJob } from './resync-job-model.js';

/** Maximum changes per write: more would block the event loop. */
const mostPerWrite = 200;

type JobRef = Pick<ResyncJob, '_id' | 'guildId'>;

/** Stores the planned changes of these members. `page` is the Discord id after which they were found. */
export async function storeChanges(
  job: JobRef,
  members: readonly PlannedMember[],
  { page, asOf }: { page: string; asOf: PlannedPage['asOf'] },
): Promise<void> {
  const changes = members.filter(({ plan }) => hasWork(plan)).map((member) => changeFrom(job, member, page, asOf));
  for (const some of inPieces(changes, mostPerWrite)) {
    await ResyncChanges.acrossGuilds.insertMany(some);
  }
}

function changeFrom(job: JobRef, planned: PlannedMember, page: string, asOf: Date): ResyncChange {
  const { member, plan, gameUserId, absentFrom, fence } = planned;
  const { add, remove, nickname, blocked, kick } = plan;
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
    ...(kick !== undefined && { kicks: true as const }),
    blocked,
    kind: kindOf(plan),
    seen: { roleIds: member.roleIds, nickname: member.nickname },
    standing: { gameUserId },
    ...(fence !== undefined && { fence }),
    absentFrom,
    asOf,
    state: 'pending',
    dueAt: clock.now(),
  };
}

function kindOf(plan: SyncPlan): ChangeKind {
  if (!isSingle(plan)) return 'edit';
  return plan.add.length === 1 ? 'give' : 'take';
}

/** Pending changes of each kind that serve as a sample for the rest. */
const readAhead = 100;

/** The part of a job's pending changes that single syncs have already made, 0 to 1, by a sample of each kind. */
export async function shareMadeAhead({ _id, guildId }: JobRef): Promise<number> {
  const next = changeKinds.map((kind) =>
    ResyncChanges.find({ guildId, jobId: _id, state: 'pending', kind }, { limit: readAhead, hint: byDue }),
  );
  const fences = new Map((await Promise.all(next)).flat().map(({ chatUserId, fence }) => [chatUserId, fence]));
  if (fences.size === 0) return 0;
  const chatUserId = trusted({ $in: [...fences.keys()] });
  const members = await Members.find({ guildId, chatUserId }, { hint: memberIndexes.chatUserId });
  const made = members.filter((member) => {
    const fence = fences.get(member.chatUserId);
    return fence !== undefined && isSyncedSince(fence, member);
  });
  return made.length / fences.size;
}

/** Whether a member was synced after the sync with this fence. A running sync has stored nothing yet. */
export function isSyncedSince(fence: number | null, member: Member | null): boolean {
  return member?.applying === undefined && (member?.syncFence ?? null) !== fence;
}

/** The first pending changes of a kind, in the order of planning except for postponed ones. */
export function nextChanges({ _id, guildId }: JobRef, kind: ChangeKind, limit: number): Promise<ResyncChange[]> {
  const pending = { guildId, jobId: _id, state: 'pending', kind } as const;
  return ResyncChanges.find(pending, { sort: { dueAt: 1, _id: 1 }, limit, hint: byDue });
}

export async function updateChange(
  { _id, guildId }: ResyncChange,
  fields: Partial<Pick<ResyncChange, 'state' | 'dueAt' | 'blocked' | 'remove'>>,
): Promise<void> {
  await ResyncChanges.update({ _id, guildId }, { $set: fields });
}

/** Changes that one command reads: 0.7 s on a machine under ten times its load, of the 10 s it has. */
const changesPerStep = 20_000;

/** Splits the changes of a job, which may be a million, into filters that each match a part of them. */
async function* partsOf({ _id: jobId, guildId }: JobRef): AsyncGenerator<{ $match: object }> {
  for (let after = ''; ; ) {
    const [last] = await ResyncChanges.acrossGuilds
      .find({ jobId, chatUserId: trusted({ $gt: after }) }, { _id: 0, chatUserId: 1 })
      .sort({ chatUserId: 1 })
      .skip(changesPerStep - 1)
      .limit(1)
      .hint(byMember)
      .lean<Pick<ResyncChange, 'chatUserId'>[]>();
    const chatUserId = { $gt: after, ...(last !== undefined && { $lte: last.chatUserId }) };
    yield { $match: { jobId, guildId, chatUserId } };
    if (last === undefined) return;
    after = last.chatUserId;
  }
}

const tallies = ['done', 'skipped', 'failed', 'blocked', 'losing', 'lost'] as const;
/**
 * Counts of a job's changes. `losing`: would still take roles or kick; `lost`: did so; `blocked`: completed with
 * blocked roles.
 */
type Tally = Record<(typeof tallies)[number], number>;

const countIf = (condition: object) => ({ $sum: { $cond: [condition, 1, 0] } });
const isIn = (state: ResyncChange['state']) => ({ $eq: ['$state', state] });
const hasSome = (field: '$remove' | '$blocked') => ({ $gt: [{ $size: { $ifNull: [field, []] } }, 0] });
const tallied = {
  _id: null,
  done: countIf(isIn('done')),
  skipped: countIf(isIn('skipped')),
  failed: countIf(isIn('failed')),
  blocked: countIf({ $and: [{ $not: isIn('pending') }, hasSome('$blocked')] }),
  losing: countIf({ $and: [isIn('pending'), { $or: [hasSome('$remove'), { $eq: ['$kicks', true] }] }] }),
  lost: countIf({ $and: [isIn('done'), hasSome('$remove')] }),
};

async function tally(job: JobRef): Promise<Tally> {
  const sum: Tally = { done: 0, skipped: 0, failed: 0, blocked: 0, losing: 0, lost: 0 };
  for await (const part of partsOf(job)) {
    const [counted] = await ResyncChanges.acrossGuilds.aggregate<Tally>([part, { $group: tallied }]).hint(byMember);
    if (counted === undefined) continue;
    for (const name of tallies) sum[name] += counted[name];
  }
  return sum;
}

export async function countLosing(job: JobRef): Promise<number> {
  return (await tally(job)).losing;
}

/** Counts the results of a job's changes: after a crash the job's own counters may be too low. */
export async function countApplied(job: JobRef): Promise<ResyncJob['applied']> {
  const { done: changed, skipped, failed, blocked, lost } = await tally(job);
  return { changed, skipped, failed, blocked, lost };
}

/** Removes the changes of a job, or of one of its pages that a killed process had not finished storing. */
export async function removeChanges({ _id, guildId }: JobRef, page?: string): Promise<void> {
  const theirs = { guildId, jobId: _id, ...(page !== undefined && { page }) };
  await removeInSteps(ResyncChanges.acrossGuilds, theirs, byMember);
}
