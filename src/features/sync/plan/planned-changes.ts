import { Types, trusted } from 'mongoose';
import { clock } from '../../../lib/clock.js';
import { inPieces } from '../../../lib/in-pieces.js';
import { removeInSteps } from '../../../platforms/database/in-steps.js';
import type { Member } from '../../members/member-model.js';
import type { Planned } from './difference.js';
import type { PlannedMember } from './guild-plan.js';
import { hasWork, isSingle, type SyncPlan } from './plan.js';
import type { StoredPlan } from './plan-model.js';
import { byDue, byMember, type ChangeKind, type PlannedChange, PlannedChanges } from './planned-change-model.js';
import { seenOf } from './seen-member.js';

/** Maximum changes per write: more would block the event loop. */
const mostPerWrite = 200;

type PlanRef = Pick<StoredPlan, '_id' | 'guildId'>;
type PlanParts = Pick<StoredPlan, '_id' | 'guildId' | 'parts'>;

/** A plan's changes in its complete parts. */
export const ofPlan = ({ _id, guildId, parts }: PlanParts) => ({
  guildId,
  planId: _id,
  part: trusted({ $lt: parts }),
});

/** Stores these members' planned changes as one plan part, or a piece. */
export async function storeChanges(
  plan: PlanRef,
  members: readonly PlannedMember[],
  of: Pick<PlannedChange, 'part' | 'asOf'>,
): Promise<void> {
  const changes = members.filter(({ plan }) => hasWork(plan)).map((member) => changeFrom(plan, member, of));
  for (const some of inPieces(changes, mostPerWrite)) {
    await PlannedChanges.acrossGuilds.insertMany(some);
  }
}

export function changeFrom(
  { _id: planId, guildId }: PlanRef,
  { member, plan, gameUserId, absentFrom, fence, formerIsOurs = false }: Planned,
  of: Pick<PlannedChange, 'part' | 'asOf'>,
): PlannedChange {
  const { add, remove, nickname, blocked, kick } = plan;
  return {
    _id: new Types.ObjectId(),
    guildId,
    planId,
    ...of,
    chatUserId: member.chatUserId,
    chatUsername: member.username,
    expected: { add, remove, ...(nickname !== undefined && { nickname }), ...(kick !== undefined && { kick }) },
    blocked,
    kind: kindOf(plan),
    seen: seenOf(member),
    standing: { gameUserId },
    ...(fence !== undefined && { fence }),
    absentFrom,
    ...(formerIsOurs && nickname !== undefined && { formerIsOurs }),
    state: 'pending',
    dueAt: clock.now(),
  };
}

export function kindOf(plan: Pick<SyncPlan, 'add' | 'remove' | 'nickname'>): ChangeKind {
  if (!isSingle(plan)) return 'edit';
  return plan.add.length === 1 ? 'give' : 'take';
}

/** Whether a member was synced after the sync with this fence. A running sync has stored nothing yet. */
export function isSyncedSince(fence: number | null, member: Pick<Member, 'applying' | 'syncFence'> | null): boolean {
  return member?.applying === undefined && (member?.syncFence ?? null) !== fence;
}

/** A kind's first pending changes, in planning order except for postponed ones. */
export function nextChanges(plan: PlanParts, kind: ChangeKind, limit: number): Promise<PlannedChange[]> {
  const pending = { ...ofPlan(plan), state: 'pending', kind } as const;
  return PlannedChanges.find(pending, { sort: { dueAt: 1, _id: 1 }, limit, hint: byDue });
}

/** Reads a plan's pending changes, `atOnce` at a time, each once. */
export async function* pendingChanges(plan: PlanParts, atOnce: number): AsyncGenerator<PlannedChange[]> {
  for (let after = ''; ; ) {
    const left = { ...ofPlan(plan), state: 'pending', chatUserId: trusted({ $gt: after }) } as const;
    const changes = await PlannedChanges.find(left, { sort: { chatUserId: 1 }, limit: atOnce, hint: byMember });
    const last = changes.at(-1);
    if (last === undefined) return;
    after = last.chatUserId;
    yield changes;
  }
}

export async function updateChange(
  { _id, guildId }: PlannedChange,
  fields: Partial<Pick<PlannedChange, 'state' | 'dueAt' | 'blocked' | 'made'>>,
): Promise<void> {
  await PlannedChanges.update({ _id, guildId }, { $set: fields });
}

/** Changes that one command reads: 0.7 s on a machine under ten times its load, where it has 10 s. */
const changesPerStep = 20_000;

/** Splits a plan's changes, which may be a million, into filters that each match a piece. */
async function* piecesOf(plan: PlanParts): AsyncGenerator<{ $match: object }> {
  for (let after = ''; ; ) {
    const [last] = await PlannedChanges.acrossGuilds
      .find({ planId: plan._id, chatUserId: trusted({ $gt: after }) }, { _id: 0, chatUserId: 1 })
      .sort({ chatUserId: 1 })
      .skip(changesPerStep - 1)
      .limit(1)
      .hint(byMember)
      .lean<Pick<PlannedChange, 'chatUserId'>[]>();
    const chatUserId = { $gt: after, ...(last !== undefined && { $lte: last.chatUserId }) };
    yield { $match: { ...ofPlan(plan), chatUserId } };
    if (last === undefined) return;
    after = last.chatUserId;
  }
}

const tallies = ['done', 'skipped', 'failed', 'blocked', 'losing', 'lost'] as const;
/**
 * Counts over a plan's changes. `losing`: would still take roles or kick; `lost`: did so; `blocked`: completed with
 * blocked roles.
 */
type Tally = Record<(typeof tallies)[number], number>;

const countIf = (condition: object) => ({ $sum: { $cond: [condition, 1, 0] } });
const isIn = (state: PlannedChange['state']) => ({ $eq: ['$state', state] });
const hasSome = (field: `$${string}`) => ({ $gt: [{ $size: { $ifNull: [field, []] } }, 0] });
const isKick = { $gt: ['$expected.kick', null] };
const tallied = {
  _id: null,
  done: countIf(isIn('done')),
  skipped: countIf(isIn('skipped')),
  failed: countIf(isIn('failed')),
  blocked: countIf({ $and: [{ $not: isIn('pending') }, hasSome('$blocked')] }),
  losing: countIf({ $and: [isIn('pending'), { $or: [hasSome('$expected.remove'), isKick] }] }),
  lost: countIf({ $and: [isIn('done'), hasSome('$made.remove')] }),
};

async function tally(plan: PlanParts): Promise<Tally> {
  const sum: Tally = { done: 0, skipped: 0, failed: 0, blocked: 0, losing: 0, lost: 0 };
  for await (const piece of piecesOf(plan)) {
    const [counted] = await PlannedChanges.acrossGuilds.aggregate<Tally>([piece, { $group: tallied }]).hint(byMember);
    if (counted === undefined) continue;
    for (const name of tallies) sum[name] += counted[name];
  }
  return sum;
}

export async function countLosing(plan: PlanParts): Promise<number> {
  return (await tally(plan)).losing;
}

/** Counts the results of a plan's changes: after a crash the plan's own counters may be too low. */
export async function countApplied(plan: PlanParts): Promise<StoredPlan['applied']> {
  const { done: changed, skipped, failed, blocked, lost } = await tally(plan);
  return { changed, skipped, failed, blocked, lost };
}

/** Removes a plan's changes, or those in its parts from this one on, which are not complete. */
export async function removeChanges({ _id: planId, guildId }: PlanRef, from = 0): Promise<void> {
  const theirs = { guildId, planId, ...(from > 0 && { part: trusted({ $gte: from }) }) };
  await removeInSteps(PlannedChanges.acrossGuilds, theirs, byMember);
}
