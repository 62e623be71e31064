import { changeSettings } from '../../../core/settings/settings-change.js';
import { clock } from '../../../lib/clock.js';
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
