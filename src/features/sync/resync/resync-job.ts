import { trusted } from 'mongoose';
import { z } from 'zod';
import { systemActor } from '../../../core/actors/actor.js';
import { enterLog } from '../../../core/audit/audit-service.js';
import { dayMs, hourMs } from '../../../lib/time.js';
import { removeInSteps } from '../../../platforms/database/in-steps.js';
import { push } from '../../../platforms/events/outbox.js';
import { defineJob } from '../../../platforms/jobs/define-job.js';
import { wake, wakeAt } from '../../../platforms/jobs/wake.js';
import { byMember, ResyncChanges } from './resync-change-model.js';
import { endAs, entryOfResync } from './resync-ending.js';
import { type ResyncJob, ResyncJobs } from './resync-job-model.js';
import { runResync } from './resync-worker.js';

/** How many guilds one process resyncs at a time: they mostly wait for the rate limits of their guilds. */
const guildsAtOnce = 100;
const confirmWithinMs = dayMs;
const keptMs = 30 * dayMs;
/** Changes of a plan that is just being handed in have no job yet. */
const handInMs = hourMs;

const job = defineJob({
  name: 'run-resync',
  data: z.strictObject({ jobId: z.string() }),
  concurrency: guildsAtOnce,
  async run({ jobId }, { signal }) {
    const again = await runResync(jobId, signal);
    if (again !== null) await wakeAt(job, { jobId }, again);
  },
});

/** Lets some process work on a job soon. */
export function wakeResync(jobId: string): Promise<void> {
  return wake(job, { jobId });
}

/** Wakes all jobs that can go on: at boot, and now and then for those whose process was killed. */
export async function wakeOpenResyncs(now: Date): Promise<void> {
  const ready = [{ waiting: trusted({ $exists: false }) }, { 'waiting.until': trusted({ $lte: now }) }];
  const due = { open: true as const, awaitingConfirmation: trusted({ $exists: false }), $or: ready };
  for await (const { _id } of ResyncJobs.acrossGuilds.find(due, { _id: 1 }).lean<{ _id: string }>().cursor()) {
    await wakeResync(_id);
  }
}

/** Cancels the jobs that no admin has confirmed within a day, so that others can begin. */
export async function endUnconfirmed(now: Date): Promise<void> {
  const before = new Date(now.getTime() - confirmWithinMs);
  const message = 'Nobody confirmed within a day that so many shall lose roles.';
  const error = { code: 'not_confirmed', message } as const;
  const since = { open: true, 'awaitingConfirmation.since': trusted({ $lt: before }) } as const;
  for await (const { _id, guildId } of ResyncJobs.acrossGuilds.find(since).lean<ResyncJob>().cursor()) {
    const entry = entryOfResync({ _id, guildId }, systemActor('resync'), 'resync.cancelled');
    const change = { ...endAs('cancelled', now, error), ...push(entry) };
    if ((await ResyncJobs.update({ _id, guildId, ...since }, change)) !== null) await enterLog(entry);
  }
}

/** Removes jobs that finished long ago, and changes whose job is finished or was never begun. */
export async function purgeResyncs(now: Date): Promise<void> {
  await ResyncJobs.acrossGuilds.deleteMany({ finishedAt: trusted({ $lt: new Date(now.getTime() - keptMs) }) });
  const jobIds = await ResyncChanges.acrossGuilds.distinct('jobId');
  const open = await ResyncJobs.acrossGuilds.distinct('_id', { open: true });
  const left = jobIds.filter((jobId) => !open.includes(jobId));
  if (left.length === 0) return;
  const before = new Date(now.getTime() - handInMs);
  const old = { jobId: trusted({ $in: left }), dueAt: trusted({ $lt: before }) };
  await removeInSteps(ResyncChanges.acrossGuilds, old, byMember);
}
