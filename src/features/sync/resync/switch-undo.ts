import { findPresentGuild, type Guild } from '../../../core/guilds/guild-service.js';
import { clock } from '../../../lib/clock.js';
import { AppError } from '../../../lib/errors.js';
import { inLane } from '../../../lib/lane.js';
import { logger } from '../../../lib/logger.js';
import { dayMs } from '../../../lib/time.js';
import { withLease } from '../../../platforms/database/lease.js';
import { keyed } from '../../../platforms/jobs/keyed.js';
import { syncMember } from '../member/member-sync.js';
import { yieldToInteractive } from '../member/yield-to-interactive.js';
import { actorOf, Plans, type StoredPlan } from '../plan/plan-model.js';
import { byMember, type PlannedChange, PlannedChanges } from '../plan/planned-change-model.js';
import { ofPlan, pendingChanges, updateChange } from '../plan/planned-changes.js';
import { reconciliationActor } from './resync-draft.js';
import { endAs } from './resync-ending.js';
import { startResync } from './resync-service.js';
import { planUndo } from './undo-plan.js';

const membersPerRead = 50;
const leaseOptions = { waitMs: 500, holdMs: 10_000 };
/** Members that can't be put back for this long, each for a passing reason, are given up. */
const triedForMs = dayMs;

const undos = keyed({
  name: 'undo-switch',
  concurrency: 10,
  async run(undoId, signal) {
    try {
      await withLease(`switch:${undoId}`, () => inLane('bulk', () => putBack(undoId, signal), signal), leaseOptions);
    } catch (error) {
      if (signal.aborted) return;
      logFailure(error, { undoId }, 'undo of a switch interrupted');
    }
  },
});

export const wakeUndo = (undoId: string): void => undos.wake(undoId);

/** Continues every undo, including those of killed processes. */
export async function wakeUndos(): Promise<void> {
  const open = { open: true as const, kind: 'undo' as const };
  for await (const { _id } of Plans.acrossGuilds.find(open, { _id: 1 }).lean<StoredPlan>().cursor()) wakeUndo(_id);
}

/** It is tried again within a minute. */
function logFailure(err: unknown, about: object, words: string): void {
  logger[err instanceof AppError ? 'info' : 'error']({ err, ...about }, words);
}

/** Puts everyone back who can be, each by themselves. It ends once nobody waits, or after a day. */
async function putBack(_id: string, signal: AbortSignal): Promise<void> {
  const stored = await Plans.acrossGuilds.findOne({ _id, kind: 'undo', open: true }).lean<StoredPlan | null>();
  const guild = stored && (await findPresentGuild(stored.guildId));
  if (stored === null || guild === null || guild.state !== 'active') return;
  const undo = stored.phase === 'planning' ? await planUndo(stored) : stored;
  for await (const changes of pendingChanges(undo, membersPerRead)) {
    for (const change of changes) {
      signal.throwIfAborted();
      await yieldToInteractive();
      await putBackOne(guild, change, undo);
    }
  }
  const { guildId, createdAt } = undo;
  const pending = { ...ofPlan(undo), state: 'pending' as const };
  const isOver = clock.epochMs() - createdAt.getTime() >= triedForMs;
  if (isOver) await PlannedChanges.acrossGuilds.updateMany(pending, { $set: { state: 'failed' } }).hint(byMember);
  else if ((await PlannedChanges.count(pending, { hint: byMember })) > 0) return;
  await Plans.update({ _id, guildId, open: true }, endAs('completed', clock.now()));
  // Finds all members' differences again.
  await startResync(guild, reconciliationActor);
}

/** Stores one member's outcome. One that fails for a passing reason stays pending, and stops nobody else. */
async function putBackOne(guild: Guild, change: PlannedChange, undo: StoredPlan): Promise<void> {
  const { chatUserId, expected, seen, formerIsOurs } = change;
  const { add: removed, remove: added, nickname } = expected;
  const isNamed = nickname !== undefined;
  const reverses = {
    ...{ added, removed, formerNickname: nickname ?? null, ...(isNamed && { nickname: seen.nickname }) },
    ...(formerIsOurs && { formerIsOurs }),
  };
  const cause = { trigger: 'resync', actor: actorOf(undo), jobId: undo.undoes ?? undo._id } as const;
  try {
    const { state, blocked, nicknameBlocked } = await syncMember(guild, chatUserId, cause, { reverses });
    const isKept = state === 'overtaken' || state === 'left' || state === 'exceeded';
    const ended = { done: 'done', partly: 'failed' } as const;
    await updateChange(change, {
      ...{ state: isKept ? 'skipped' : ended[state], blocked },
      ...(nicknameBlocked !== null && { nicknameBlocked }),
    });
  } catch (error) {
    logFailure(error, { guildId: guild._id, chatUserId }, 'a member was not put back');
  }
}
