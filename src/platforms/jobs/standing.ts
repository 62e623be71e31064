import { z } from 'zod';
import { logger } from '../../lib/logger.js';
import { defineJob, type Job } from './define-job.js';
import { every, wake } from './wake.js';

export interface StandingWork {
  /** Kebab-case and unique, like a job's name. */
  name: string;
  /** Interval of its runs, in any free process. */
  everyMs: number;
  /** Whether it also runs when a process starts. */
  atStart: boolean;
  /** Finds pending work and does it. It may run twice for one reason, or parallel to another process's run. */
  run(signal: AbortSignal): Promise<void>;
}

/** Standing work has no data: it finds its tasks in the feature's own collections. */
export type StandingJob = Job<Record<string, never>>;

const declared = new Map<StandingJob, StandingWork>();

/** Declares work that runs on a schedule and whenever it is poked. One run at a time in each process. */
export function standing(work: StandingWork): StandingJob {
  const run = (_data: unknown, { signal }: { signal: AbortSignal }) => work.run(signal);
  const job = defineJob<Record<string, never>>({ name: work.name, data: z.strictObject({}), concurrency: 1, run });
  declared.set(job, work);
  return job;
}

/** Starts the schedule of all declared work that is `wanted`. */
export async function startStanding(wanted: (job: StandingJob) => boolean): Promise<void> {
  for (const [job, { everyMs, atStart }] of declared) {
    if (!wanted(job)) continue;
    await every(job, everyMs);
    if (atStart) await wake(job, {});
  }
}

/** Runs standing work soon. A failed poke is logged: the schedule runs the work later. */
export function poke(job: StandingJob): void {
  wake(job, {}).catch((err: unknown) => logger.warn({ err, job: job.name }, 'standing work runs later'));
}

export const standingWork = (): StandingWork[] =>
  [...declared.values()].sort((one, other) => one.name.localeCompare(other.name));
