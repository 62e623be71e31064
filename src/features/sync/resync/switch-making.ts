import { isDeepStrictEqual } from 'node:util';
import { trusted } from 'mongoose';
import { changeSettings } from '../../../core/settings/settings-change.js';
import { clock } from '../../../lib/clock.js';
import { findMember } from '../../members/member-service.js';
import { actorOf, type StoredPlan } from '../plan/plan-model.js';
import { byMember, type PlannedChange, PlannedChanges } from '../plan/planned-change-model.js';
import { removeChanges } from '../plan/planned-changes.js';
import type { ResyncRun } from './resync-run.js';
import { SwitchedMembers, Switches } from './switch-model.js';

/** Switches the guild to enforcing, before the plan of the switch is applied. */
export async function beginToEnforce(run: ResyncRun): Promise<void> {
  const { _id, guildId } = run.job;
  const guild = await run.servedGuild();
  await Switches.upsert({ _id, guildId }, { $setOnInsert: { at: clock.now(), state: 'made' } });
  await changeSettings(guild, actorOf(run.job), (settings) => ({ ...settings, mode: 'enforce' }));
}

/** Stores the changes of a switch to a member, for its undo. */
export async function noteSwitched(change: PlannedChange): Promise<void> {
  const { guildId, planId: jobId, chatUserId, expected, seen } = change;
  const { add, remove, nickname } = expected;
  const made = {
    ...{ switchId: jobId, chatUserId, given: add, taken: remove, formerNickname: seen.nickname },
    ...(nickname !== undefined && { nickname }),
  };
  const _id = `${jobId} ${chatUserId}`;
  await SwitchedMembers.upsert({ _id, guildId }, { $setOnInsert: { ...made, at: clock.now(), state: 'made' } });
}

/**
 * Keeps a change that another sync has made, or has begun, before the switch came to it: a reconciliation after a kill, or
 * a sync of the member. Changes from newer facts are not the switch's.
 */
export async function noteIfMadeByOthers(change: PlannedChange): Promise<void> {
  const { guildId, chatUserId, asOf, expected } = change;
  const { add, remove } = expected;
  const member = await findMember(guildId, chatUserId);
  const made = member?.syncs.filter(({ at, error }) => at > asOf && error === undefined) ?? [];
  const begun = member?.applying === undefined ? made : [...made, member.applying];
  const isSame =
    isDeepStrictEqual(new Set(begun.flatMap(({ added }) => added)), new Set(add)) &&
    isDeepStrictEqual(new Set(begun.flatMap(({ removed }) => removed)), new Set(remove));
  if (begun.length > 0 && isSame) await noteSwitched(change);
}

const changesPerRead = 100;

/** Removes the changes of a finished job. The part of a switch that others have made is kept for its undo. */
export async function clearChanges(job: Pick<StoredPlan, '_id' | 'guildId' | 'goesLive'>): Promise<void> {
  if (job.goesLive === true) await noteMadeAhead(job);
  await removeChanges(job);
}

/**
 * Keeps the pending changes of a switch that another sync has made, or that a process began when it was killed or
 * cancelled. The caller holds the lease of the resync.
 */
export async function noteMadeAhead({ _id: jobId, guildId }: Pick<StoredPlan, '_id' | 'guildId'>): Promise<void> {
  for (let after = ''; ; ) {
    const pending = { planId: jobId, guildId, chatUserId: trusted({ $gt: after }), state: 'pending' } as const;
    const options = { sort: { chatUserId: 1 }, limit: changesPerRead, hint: byMember } as const;
    const changes = await PlannedChanges.find(pending, options);
    await Promise.all(changes.map(noteIfMadeByOthers));
    const last = changes.at(-1);
    if (last === undefined) return;
    after = last.chatUserId;
  }
}
