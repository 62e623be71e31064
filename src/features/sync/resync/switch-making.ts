import { trusted } from 'mongoose';
import { changeSettings } from '../../../core/settings/settings-change.js';
import { clock } from '../../../lib/clock.js';
import { dayMs } from '../../../lib/time.js';
import { findMember } from '../../members/member-service.js';
import { enqueueDiffering, enqueueSyncs } from '../../members/pending-syncs.js';
import { observedPlan } from '../plan/observed-changes.js';
import { hasWork } from '../plan/plan.js';
import { actorOf, type StoredPlan } from '../plan/plan-model.js';
import { byMember, type PlannedChange, PlannedChanges } from '../plan/planned-change-model.js';
import { removeChanges, updateChange } from '../plan/planned-changes.js';
import type { ResyncRun } from './resync-run.js';

/** The time within which a switch can be undone. */
export const undoableMs = 7 * dayMs;

/** Switches the guild to enforcing, before the switch's plan is applied. */
export async function beginToEnforce(run: ResyncRun): Promise<void> {
  const guild = await run.servedGuild();
  await changeSettings(guild, actorOf(run.job), (settings) => ({ ...settings, mode: 'enforce' }), undefined, 'switch');
  await run.advance({ $set: { liveAt: clock.now() } });
}

/**
 * The parts in a shown change that another sync has made, or has begun, before the switch came to it: a reconciliation
 * after a kill, or the member's sync. Changes from newer facts are not the switch's. Undefined: none.
 */
export async function madeByOthers({
  guildId,
  chatUserId,
  asOf,
  expected,
}: PlannedChange): Promise<PlannedChange['made']> {
  const member = await findMember(guildId, chatUserId);
  const syncs = member?.syncs.filter(({ at, error }) => at > asOf && error === undefined) ?? [];
  const begun = member?.applying === undefined ? syncs : [...syncs, member.applying];
  const [added, removed] = [begun.flatMap((sync) => sync.added), begun.flatMap((sync) => sync.removed)];
  const nickname = begun.findLast((sync) => sync.nickname !== undefined)?.nickname;
  const made = {
    add: expected.add.filter((roleId) => added.includes(roleId)),
    remove: expected.remove.filter((roleId) => removed.includes(roleId)),
    ...(nickname !== undefined && nickname === expected.nickname && { nickname }),
  };
  return hasWork({ nickname: undefined, ...made }) ? made : undefined;
}

/** Removes a finished plan's changes. Those in a switch and its undo stay for seven days. */
export async function clearChanges(job: Pick<StoredPlan, '_id' | 'guildId' | 'goesLive'>): Promise<void> {
  if (job.goesLive !== true) await removeChanges(job);
}

const changesPerRead = 100;

/**
 * Enqueues syncs for the members whom a switch has skipped, and for those whose difference is newer than its preview
 * (OBS-96). Members that a part's preview has not shown stay as they are. It comes before the switch ends, so that a
 * kill loses none. Other plans, and a switch that has not begun to write, enqueue nothing.
 */
export async function enqueueSince(plan: StoredPlan): Promise<void> {
  const { _id: planId, guildId, createdAt, asOf = createdAt, goesLive, liveAt } = plan;
  if (goesLive !== true || liveAt === undefined) return;
  const newer = { planId: observedPlan(guildId), 'observed.since': trusted({ $gte: asOf }) };
  for (const which of [{ planId, state: 'skipped' }, newer]) {
    for await (const changes of inPages({ guildId, ...which })) {
      const [partly, untouched] = [changes.filter(isBegun), changes.filter((change) => !isBegun(change))];
      // The record of the begun part says nothing about the rest.
      await enqueueSyncs(guildId, idsOf(partly));
      await enqueueDiffering(guildId, idsOf(untouched));
    }
  }
}

const isBegun = ({ made }: PlannedChange): boolean => made !== undefined;

const idsOf = (changes: readonly PlannedChange[]): string[] => changes.map(({ chatUserId }) => chatUserId);

/**
 * Notes what another sync, or a process that was killed or cancelled, made of the changes that a switch has not come
 * to, or has made in part. The caller holds the resync's lease.
 */
export async function noteMadeAhead({ _id: planId, guildId }: Pick<StoredPlan, '_id' | 'guildId'>): Promise<void> {
  for await (const changes of inPages({ guildId, planId, state: trusted({ $ne: 'skipped' }) })) {
    await Promise.all(
      changes.filter(isOpen).map(async (change) => {
        const others = await madeByOthers(change);
        if (others !== undefined) await updateChange(change, { made: together(change.made, others) });
      }),
    );
  }
}

type MadeParts = NonNullable<PlannedChange['made']>;

/** Whether some part of a change is not noted as made. Pure. */
function isOpen({ expected, made }: PlannedChange): boolean {
  if (made === undefined) return true;
  const isNamed = expected.nickname === undefined || made.nickname !== undefined;
  return !isNamed || made.add.length < expected.add.length || made.remove.length < expected.remove.length;
}

/** The parts that the switch has made, with those that others have added. Pure. */
function together(own: MadeParts = { add: [], remove: [] }, others: MadeParts): MadeParts {
  const both = (one: readonly string[], other: readonly string[]) => [...new Set([...one, ...other])];
  return { ...others, ...own, add: both(own.add, others.add), remove: both(own.remove, others.remove) };
}

/** Every change of a plan that matches, in pages, each once. */
export async function* inPages(where: {
  guildId: string;
  planId: string;
  [field: string]: unknown;
}): AsyncGenerator<PlannedChange[]> {
  for (let after = ''; ; ) {
    const options = { sort: { chatUserId: 1 }, limit: changesPerRead, hint: byMember } as const;
    const changes = await PlannedChanges.find({ ...where, chatUserId: trusted({ $gt: after }) }, options);
    const last = changes.at(-1);
    if (last === undefined) return;
    after = last.chatUserId;
    yield changes;
  }
}
