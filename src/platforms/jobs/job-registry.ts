import type { Logger } from 'pino';

export interface JobContext {
  /**
   * Aborted when the service stops, and when the job has lost its lock and another process may run it too. A long job
   * then saves its progress and ends at its next step. A job that was cut short by a stop is woken again at the next
   * start.
   */
  signal: AbortSignal;
  /** Its lines carry the job's name and data. */
  log: Logger;
}

/** A job's figures in `/metrics`: its runs in this process, running and ended. */
export interface JobStats {
  running: number;
  completed: number;
  failed: number;
}

/** A job as the scheduler sees it. Its data is checked when the job runs. */
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
