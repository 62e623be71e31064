import type { Logger } from 'pino';

export interface JobContext {
  /**
   * Aborted when the service stops, and when the job has lost its lock, so that another process may run it too. A long
   * job saves its progress and ends at its next step then; one that the service's stop has cut short is woken again
   * at the next start.
   */
  signal: AbortSignal;
  /** Its lines carry the job's name and data. */
  log: Logger;
}

/** What `/metrics` tells of a job: its runs in this process, those under way and those that have ended. */
export interface JobStats {
  running: number;
  completed: number;
  failed: number;
}

/** A job as the scheduler sees it: whatever its data is, it is checked when the job runs. */
export interface RegisteredJob {
  readonly name: string;
  readonly concurrency: number;
  readonly lockLifetime: number;
  readonly stats: JobStats;
  /** @throws ZodError when the stored data is not the job's, and whatever the job throws. */
  run(storedData: unknown, context: JobContext): Promise<void>;
}

const jobs = new Map<string, RegisteredJob>();

/** @throws Error when two jobs have one name, as each would run the other's wake-ups. */
export function registerJob(job: RegisteredJob): void {
  if (jobs.has(job.name)) throw new Error(`Two jobs are named ${job.name}.`);
  jobs.set(job.name, job);
}

export function registeredJobs(): RegisteredJob[] {
  return [...jobs.values()];
}

/** The counters of every job by its name, since the process started. */
export function jobStats(): Record<string, Readonly<JobStats>> {
  return Object.fromEntries(registeredJobs().map(({ name, stats }) => [name, { ...stats }]));
}
