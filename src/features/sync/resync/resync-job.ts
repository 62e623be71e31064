import { trusted } from 'mongoose';
import { systemActor } from '../../../core/actors/actor.js';
import { enterLog } from '../../../core/audit/audit-service.js';
import { clock } from '../../../lib/clock.js';
import { logger } from '../../../lib/logger.js';
import { dayMs, hourMs } from '../../../lib/time.js';
import { removeInSteps } from '../../../platforms/database/in-steps.js';
import {
  isForThisProcess,
  isOfThisProcess,
  ownShareEveryMs,
  sharesBot,
} from '../../../platforms/discord/process-share.js';
import { push } from '../../../platforms/events/outbox.js';
import { keyed } from '../../../platforms/jobs/keyed.js';
import { standing } from '../../../platforms/jobs/standing.js';
import { isObservedPlan } from '../plan/observed-changes.js';
import { Plans, resyncState, type StoredPlan } from '../plan/plan-model.js';
import { byMember, PlannedChanges } from '../plan/planned-change-model.js';
import { endAs, entryOfResync } from './resync-ending.js';
import { isRunHere, runResync } from './resync-worker.js';
import { undoableMs } from './switch-making.js';

/** Guilds that one process resyncs at the same time: they mostly wait for their guilds' rate limits. */
const guildsAtOnce = 100;
const confirmWithinMs = dayMs;
const keptMs = 30 * dayMs;
/** Age up to which changes without a job are kept: a stored plan's job follows later. */
const planStoredMs = hourMs;

const resyncs = keyed({
  name: 'run-resync',
  concurrency: guildsAtOnce,
  async run(jobId, signal) {
    if (!(await isForUs(jobId))) return;
    const again = await runResync(jobId, signal);
    if (again !== null) resyncs.wakeAt(jobId, again);
  },
});

/** Whether the job's guild is this process's, or its own process has left the job alone for a while. */
async function isForUs(jobId: string): Promise<boolean> {
  if (!sharesBot()) return true;
  const since = { guildId: 1, createdAt: 1, waiting: 1 } as const;
  const found = await Plans.acrossGuilds.findById(jobId, since).lean<StoredPlan | null>();
  return found !== null && isForThisProcess(found.guildId, found.waiting?.until ?? found.createdAt);
}

/** Has a job worked on soon: by this process, or by the guild shard's if it runs. */
export const wakeResync = (jobId: string): void => resyncs.wake(jobId);

/** Delay between the first sign of a returned platform and retrying the waiting jobs, in case it flickers. */
const backForMs = 5_000;

/** Retries the jobs in this process's guilds that wait for a platform, soon after it answers again. */
export async function wakeWaitingFor(platform: 'chat' | 'game'): Promise<void> {
  await makeDueNow({ 'waiting.for': trusted({ $regex: new RegExp(`^${platform}_platform_`) }) }, backForMs);
}

/** Continues resyncs that wait for a platform once it answers again. */
export function resyncsGoOn(service: string): void {
  if (service === 'stripe') return;
  wakeWaitingFor(service === 'discord' ? 'chat' : 'game').catch((err: unknown) =>
    logger.warn({ err, service }, 'waiting resyncs retried later'),
  );
}

/** After the bot connects, tries all waiting jobs in this process's guilds again. */
export async function wakeAllWaiting(): Promise<void> {
  await makeDueNow({}, 0);
}

/** Retries a waiting job now, since someone asks for it. */
export async function wakeWaiting({ _id, guildId }: Pick<StoredPlan, '_id' | 'guildId'>): Promise<void> {
  await Plans.update({ _id, guildId, ...waitingLonger(clock.now()) }, { $set: { 'waiting.until': clock.now() } });
  wakeResync(_id);
}

const waitingLonger = (until: Date) => ({ open: true as const, 'waiting.until': trusted({ $gt: until }) });

async function makeDueNow(which: object, inMs: number): Promise<void> {
  const until = new Date(clock.epochMs() + inMs);
  const found = Plans.acrossGuilds.find({ ...waitingLonger(until), ...which }, { guildId: 1 }).lean<StoredPlan>();
  for await (const { _id, guildId } of found.cursor()) {
    if (!isOfThisProcess(guildId)) continue;
    await Plans.update({ _id, guildId, ...waitingLonger(until) }, { $set: { 'waiting.until': until } });
    resyncs.wakeAt(_id, until);
  }
}

/** Wakes the jobs in this process's guilds that other processes have stored. */
standing({
  name: 'resume-own-resyncs',
  everyMs: ownShareEveryMs,
  atStart: false,
  inEachProcess: true,
  async run() {
    const isOwn = ({ _id, guildId }: Pick<StoredPlan, '_id' | 'guildId'>) =>
      isOfThisProcess(guildId) && !isRunHere(_id);
    if (sharesBot()) await wakeOpenResyncs(clock.now(), isOwn);
  },
});

/** Wakes all jobs that can continue, or those that `meant` selects: at boot, and periodically after a crash. */
export async function wakeOpenResyncs(
  now: Date,
  meant: (job: Pick<StoredPlan, '_id' | 'guildId'>) => boolean = () => true,
): Promise<void> {
  const ready = [{ waiting: trusted({ $exists: false }) }, { 'waiting.until': trusted({ $lte: now }) }];
  const kind = trusted({ $ne: 'undo' as const });
  const due = { open: true as const, kind, awaitingConfirmation: trusted({ $exists: false }), $or: ready };
  const found = Plans.acrossGuilds.find(due, { guildId: 1 }).lean<Pick<StoredPlan, '_id' | 'guildId'>>();
  for await (const job of found.cursor()) if (meant(job)) wakeResync(job._id);
}

/** Cancels the jobs that no admin has confirmed within a day, so that others can begin. */
export async function endUnconfirmed(now: Date): Promise<void> {
  const before = new Date(now.getTime() - confirmWithinMs);
  const message = 'Nobody confirmed within a day that so many shall lose roles.';
  const error = { code: 'not_confirmed', message } as const;
  const since = { open: true, 'awaitingConfirmation.since': trusted({ $lt: before }) } as const;
  for await (const { _id, guildId } of Plans.acrossGuilds.find(since).lean<StoredPlan>().cursor()) {
    const entry = entryOfResync({ _id, guildId }, systemActor('resync'), 'resync.cancelled');
    const change = { ...endAs('cancelled', now, error), ...push(entry) };
    if ((await Plans.update({ _id, guildId, ...since }, change)) !== null) await enterLog(entry);
  }
}

/** Whether a plan's changes are needed: it is shown or applied, or it can be undone or was an undo. */
function areKept({ open, state, liveAt, kind, createdAt }: StoredPlan, now: Date): boolean {
  const since = liveAt ?? (kind === 'undo' ? createdAt : new Date(0));
  const isLate = now.getTime() - since.getTime() >= undoableMs;
  return (open === true && !(kind === 'undo' && isLate)) || state === 'shown' || !isLate;
}

/** Removes plans that finished long ago, and changes whose plan is finished or was never stored. */
export async function purgeResyncs(now: Date): Promise<void> {
  const state = trusted({ $in: resyncState.options });
  await Plans.acrossGuilds.deleteMany({ state, finishedAt: trusted({ $lt: new Date(now.getTime() - keptMs) }) });
  const before = new Date(now.getTime() - planStoredMs);
  for (const planId of await PlannedChanges.acrossGuilds.distinct('planId')) {
    if (isObservedPlan(planId)) continue;
    const plan = await Plans.acrossGuilds.findById(planId).lean<StoredPlan | null>();
    if (plan !== null && areKept(plan, now)) continue;
    const old = { planId, dueAt: trusted({ $lt: before }) };
    await removeInSteps(PlannedChanges.acrossGuilds, old, byMember);
  }
}
