import { z } from 'zod';
import { logger } from '../../lib/logger.js';
import { defineJob, type Job } from './define-job.js';
import { every, wake } from './wake.js';

export interface StandingWork {
  /** Kebab-case and unique, as of a job. */
  name: string;
  /** How often it runs, in whichever process is free. */
  everyMs: number;
  /** Whether it also runs when a process starts. */
  atStart: boolean;
  /** Finds what is pending and does it. It may run twice for one reason, and beside a run of another process. */
  run(signal: AbortSignal): Promise<void>;
}

/** Standing work has no data: it finds in the feature's own collections what there is to do. */
export type StandingJob = Job<Record<string, never>>;

const declared = new Map<StandingJob, StandingWork>();

/** Declares work that runs by the clock, and as soon as somebody pokes it. One run at a time in each process. */
export function standing(work: StandingWork): StandingJob {
  const run = (_data: unknown, { signal }: { signal: AbortSignal }) => work.run(signal);
  const job = defineJob<Record<string, never>>({ name: work.name, data: z.strictObject({}), concurrency: 1, run });
  declared.set(job, work);
  return job;
}

/** Starts the clock of all declared work that is `wanted`. */
export async function startStanding(wanted: (job: StandingJob) => boolean): Promise<void> {
  for (const [job, { everyMs, atStart }] of declared) {
    if (!wanted(job)) continue;
    await every(job, everyMs);
    if (atStart) await wake(job, {});
  }
}

/** Runs standing work soon. A poke that fails is logged: the clock runs the work later. */
export function poke(job: StandingJob): void {
  wake(job, {}).catch((err: unknown) => logger.warn({ err, job: job.name }, 'standing work runs later'));
}

/** All declared work, by name. */
export const standingWork = (): StandingWork[] =>
  [...declared.values()].sort((one, other) => one.name.localeCompare(other.name));
