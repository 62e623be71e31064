import { trusted } from 'mongoose';
import { systemActor } from '../../../core/actors/actor.js';
import { enterLog, type NewEntry } from '../../../core/audit/audit-service.js';
import { noteReconciled } from '../../../core/guilds/pending-reconciliations.js';
import { RulesInChange } from '../../../core/settings/whole-changes.js';
import { waitAfter } from '../../../lib/backoff.js';
import { clock } from '../../../lib/clock.js';
import { AppError } from '../../../lib/errors.js';
import { inLane } from '../../../lib/lane.js';
import { logger, withLogContext } from '../../../lib/logger.js';
import { dayMs, minuteMs, secondMs } from '../../../lib/time.js';
import { type Lease, withLease } from '../../../platforms/database/lease.js';
import { isRefusedByDiscord } from '../../../platforms/discord/rest/call-outcome.js';
import { HeldBack } from '../../../platforms/discord/rest/invalid-request-guard.js';
import { push } from '../../../platforms/events/outbox.js';
import { keepPeople } from '../../mappings/mapping-people.js';
import { removeOver } from '../plan/observed-changes.js';
import { actorOf, Plans, type ResyncError, resyncObstacle, type StoredPlan } from '../plan/plan-model.js';
import { countApplied } from '../plan/planned-changes.js';
import { logDay } from './observed-day.js';
import { applyChanges } from './resync-applying.js';
import { checkPlan } from './resync-check.js';
import { endAs, entryOf, entryOfResync, type FinalState } from './resync-ending.js';
import { planResync } from './resync-planning.js';
import { ResyncEnded, ResyncRun, ResyncStopped } from './resync-run.js';
import { beginToEnforce, clearChanges, enqueueSince } from './switch-making.js';

/** A job in another process's hands is not waited for; a killed process is followed after `holdMs` at most. */
const leaseOptions = { waitMs: 500, holdMs: 10_000 };
/** An unavailable platform is asked again after 10 s, then at growing intervals; after a day the job has failed. */
const retries = { firstMs: 10 * secondMs, longestMs: 10 * minuteMs };
const longestWaitMs = dayMs;
/** Wait before changing rules are read again. */
const ruleChangeMs = 2_000;
/** Our own fault does not go away with retries. */
const mostFaults = 5;

const here = new Set<string>();

export const isRunHere = (jobId: string): boolean => here.has(jobId);

/**
 * Works on a job until it is finished, must wait, or `stopping` is aborted. Continues from its position after any other
 * process (RESYNC-17). Returns immediately if another worker has it. Returns the time to continue, if known.
 */
export async function runResync(jobId: string, stopping: AbortSignal): Promise<Date | null> {
  if (here.has(jobId)) return null;
  here.add(jobId);
  try {
    return await withLease(`resync:${jobId}`, (lease) => workClaimed(jobId, lease, stopping), leaseOptions);
  } catch (error) {
    if (error instanceof AppError && error.code === 'busy') return null;
    throw error;
  } finally {
    here.delete(jobId);
  }
}

async function workClaimed(jobId: string, lease: Lease, stopping: AbortSignal): Promise<Date | null> {
  const now = clock.now();
  const job = await Plans.acrossGuilds
    .findOneAndUpdate(
      { _id: jobId, open: true, awaitingConfirmation: null, fence: trusted({ $lt: lease.fence }) },
      [{ $set: { fence: lease.fence, state: 'running', startedAt: { $ifNull: ['$startedAt', now] } } }],
      { returnDocument: 'after', updatePipeline: true },
    )
    .lean<StoredPlan | null>();
  if (job === null) {
    await clearFinished(jobId);
    return null;
  }
  const run = new ResyncRun(job, lease, stopping);
  return withLogContext({ jobId }, () => inLane('bulk', () => carryOut(run), run.signal));
}

async function carryOut(run: ResyncRun): Promise<Date | null> {
  try {
    await run.watched(() => work(run));
    return null;
  } catch (error) {
    const reason: unknown = run.signal.aborted ? run.signal.reason : error;
    if (run.handOver.aborted) return null;
    if (reason instanceof ResyncEnded) await clearFinished(run.job._id);
    // An admin may have cancelled it in the meantime.
    else if (reason instanceof ResyncStopped) await finish(run, 'cancelled', reason.reason).catch(ignoreEnded);
    else return await waitOrFail(run, reason);
    return null;
  }
}

async function work(run: ResyncRun): Promise<void> {
  await run.check();
  let isDone = false;
  while (!isDone) {
    if (run.job.phase === 'planning') await planResync(run);
    if (run.job.quiet && run.job.planned.settled < run.job.planned.members) await logStart(run);
    if (run.job.phase === 'checking' && !(await checkPlan(run))) return;
    // Also after a kill right behind the check.
    if (run.job.goesLive === true && run.job.liveAt === undefined) await beginToEnforce(run);
    isDone = await applyChanges(run);
    if (!isDone) await run.advance({ $set: { phase: 'planning' }, $unset: { rulesKey: 1 } });
  }
  // A member that could not be changed is tried again, and counts as done.
  if (run.tally !== undefined) await keepPeople(run.job.guildId, run.tally.counted('once done'));
  await finish(run, 'completed');
  if (run.job.kind === 'whole') await logDay(await run.servedGuild());
}

/** A reconciliation has found a change, so it is announced. */
async function logStart(run: ResyncRun): Promise<void> {
  const entry = entryOf(run.job, actorOf(run.job), 'resync.started');
  await run.advance({ $unset: { quiet: 1 }, ...push(entry) });
  await enterLog(entry);
}

/** Ends the job for good. Its counters are made exact, and its changes removed. */
async function finish(run: ResyncRun, state: FinalState, error?: ResyncError): Promise<void> {
  const { $set, $unset } = endAs(state, clock.now(), error);
  await enqueueSince(run.job);
  const applied = await countApplied(run.job);
  const { guildId, kind, createdAt, quiet, goesLive } = run.job;
  const isTold = quiet === undefined || state === 'failed';
  const entries = isTold ? [entryOfFinish({ ...run.job, applied, ...(error && { error }) }, state)] : [];
  await run.advance({ $set: { ...$set, applied }, $unset, ...push(...entries) });
  await enterLog(...entries);
  await clearChanges(run.job);
  if (kind === 'whole' || goesLive === true) await removeOver(guildId, createdAt);
  if (state === 'completed' && kind === 'whole') await noteReconciled(guildId, createdAt);
}

function entryOfFinish(job: StoredPlan, state: FinalState): NewEntry {
  const { planned, applied, error } = job;
  const counts = { members: planned.members, changed: applied.changed + job.changedBefore, failed: applied.failed };
  const facts = Object.entries({ ...counts, ...(error && { error: error.code }) });
  const changes = Object.fromEntries(facts.map(([key, to]) => [key, { from: null, to }]));
  const actor = state === 'completed' ? actorOf(job) : systemActor('resync');
  return entryOfResync(job, actor, `resync.${state}`, changes);
}

/** Removes a job's changes that another process has finished. */
async function clearFinished(_id: string): Promise<void> {
  const job = await Plans.acrossGuilds.findById(_id).lean<StoredPlan | null>();
  if (job !== null && job.open !== true) await clearChanges(job);
}

async function waitOrFail(run: ResyncRun, reason: unknown): Promise<Date | null> {
  if (reason instanceof RulesInChange) return new Date(clock.epochMs() + ruleChangeMs);
  const isOutage = reason instanceof AppError && reason.kind === 'unavailable';
  const code = isOutage ? resyncObstacle.parse(reason.code) : 'internal_error';
  // The bot may be removed from the guild between two calls.
  const isForeseen = isOutage || isRefusedByDiscord(reason);
  logger[isForeseen ? 'info' : 'error']({ err: reason }, 'resync interrupted');
  const now = clock.epochMs();
  const { since = new Date(now), attempts = 0 } = run.job.waiting ?? {};
  if (now - since.getTime() >= longestWaitMs || (!isOutage && attempts >= mostFaults)) {
    const message = isOutage ? reason.message : 'Something went wrong on our side.';
    await finish(run, 'failed', { code, message }).catch(ignoreEnded);
    return null;
  }
  const askedMs = reason instanceof HeldBack ? reason.retryAfterSeconds * secondMs : waitAfter(attempts + 1, retries);
  const retryMs = Math.min(askedMs, retries.longestMs);
  const until = new Date(now + retryMs);
  const waiting = { for: code, since, attempts: attempts + 1, until };
  const isOurs = await run.advance({ $set: { waiting } }).then(() => true, ignoreEnded);
  return isOurs === true ? until : null;
}

function ignoreEnded(error: unknown): void {
  if (!(error instanceof ResyncEnded)) throw error;
}
