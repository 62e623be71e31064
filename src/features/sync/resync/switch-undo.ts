import { findPresentGuild, type Guild } from '../../../core/guilds/guild-service.js';
import { AppError } from '../../../lib/errors.js';
import { logger } from '../../../lib/logger.js';
import { withLease } from '../../../platforms/database/lease.js';
import { inLane } from '../../../platforms/discord/rest/lane.js';
import { keyed } from '../../../platforms/jobs/keyed.js';
import { syncMember } from '../member/member-sync.js';
import { yieldToInteractive } from '../member/yield-to-interactive.js';
import { actorOf } from '../plan/plan-model.js';
import { reconciliationActor } from './resync-draft.js';
import { startResync } from './resync-service.js';
import { noteMadeAhead } from './switch-making.js';
import { byState, type Switch, type SwitchedMember, SwitchedMembers, Switches } from './switch-model.js';

const membersPerRead = 50;
const leaseOptions = { waitMs: 500, holdMs: 10_000 };
/** Maximum wait for the worker of a cancelled resync, which may be a killed process. */
const resyncEndsWithinMs = 12_000;

const undos = keyed({
  name: 'undo-switch',
  concurrency: 10,
  async run(switchId, signal) {
    try {
      const work = () => inLane('bulk', () => putBack(switchId, signal), signal);
      await withLease(`switch:${switchId}`, work, leaseOptions);
    } catch (error) {
      if (signal.aborted) return;
      // It is retried within a minute; another process may have it.
      const isExpected = error instanceof AppError;
      logger[isExpected ? 'info' : 'error']({ err: error, switchId }, 'undo of a switch interrupted');
    }
  },
});

export const wakeUndo = (switchId: string): void => undos.wake(switchId);

/** Continues every undo, including those of killed processes. */
export async function wakeUndos(): Promise<void> {
  for await (const { _id } of Switches.acrossGuilds.find({ state: 'undoing' }).lean<Switch>().cursor()) {
    wakeUndo(_id);
  }
}

async function putBack(_id: string, signal: AbortSignal): Promise<void> {
  const switched = await Switches.acrossGuilds.findOne({ _id, state: 'undoing' }).lean<Switch | null>();
  const guild = switched && (await findPresentGuild(switched.guildId));
  if (switched === null || guild === null || guild.state !== 'active') return;
  const { guildId } = switched;
  // The resync that made the switch has ended then, and changes nothing after this reading.
  await withLease(`resync:${_id}`, () => noteMadeAhead(switched), { ...leaseOptions, waitMs: resyncEndsWithinMs });
  for (;;) {
    const made = { guildId, switchId: _id, state: 'made' } as const;
    const options = { sort: { chatUserId: 1 }, limit: membersPerRead, hint: byState } as const;
    const members = await SwitchedMembers.find(made, options);
    if (members.length === 0) break;
    for (const member of members) {
      signal.throwIfAborted();
      await yieldToInteractive();
      const state = await putBackOne(guild, member, switched);
      await SwitchedMembers.update({ _id: member._id, guildId }, { $set: { state } });
    }
  }
  await Switches.update({ _id, guildId }, { $set: { state: 'undone' } });
  await findDifferences(guild);
}

/** Starts a resync that finds the differences of all members again. */
async function findDifferences(guild: Guild): Promise<void> {
  await startResync(guild, reconciliationActor);
}

async function putBackOne(
  guild: Guild,
  switched: SwitchedMember,
  { undoneBy }: Switch,
): Promise<SwitchedMember['state']> {
  const actor = actorOf({ actor: undoneBy ?? { kind: 'system', id: 'undo', name: 'undo' } });
  const { chatUserId, given: added, taken: removed, nickname, formerNickname, switchId: jobId } = switched;
  const reverses = { added, removed, formerNickname, ...(nickname !== undefined && { nickname }) };
  const { state } = await syncMember(guild, chatUserId, { trigger: 'resync', actor, jobId }, { reverses });
  return state === 'done' || state === 'partly' ? 'undone' : 'kept';
}
