import { isDeepStrictEqual } from 'node:util';
import { changeSettings } from '../../../core/settings/settings-change.js';
import { clock } from '../../../lib/clock.js';
import { findMember } from '../../members/member-service.js';
import type { ResyncChange } from './resync-change-model.js';
import { actorOf } from './resync-job-model.js';
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
export async function noteSwitched(change: ResyncChange): Promise<void> {
  const { guildId, jobId, chatUserId, add, remove, nickname, seen } = change;
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
export async function noteIfMadeByOthers(change: ResyncChange): Promise<void> {
  const { guildId, chatUserId, asOf, add, remove } = change;
  const member = await findMember(guildId, chatUserId);
  const made = member?.syncs.filter(({ at, error }) => at > asOf && error === undefined) ?? [];
  const begun = member?.applying === undefined ? made : [...made, member.applying];
  const isSame =
    isDeepStrictEqual(new Set(begun.flatMap(({ added }) => added)), new Set(add)) &&
    isDeepStrictEqual(new Set(begun.flatMap(({ removed }) => removed)), new Set(remove));
  if (begun.length > 0 && isSame) await noteSwitched(change);
}
