import type { Logger } from 'pino';
import type { z } from 'zod';
import { minuteMs } from '../../lib/time.js';

/** Ids only: the job reads what it has to do from our own collections when it runs. */
export type JobData = Record<string, string>;

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

export interface JobDefinition<Data extends JobData> {
  /** Kebab-case and unique. Stored with each wake-up, so renaming a job strands those that are waiting. */
  name: string;
  data: z.ZodType<Data>;
  /** How many runs one process may have at once. */
  concurrency: number;
  /** After how many milliseconds a crashed process's run is repeated. A living run renews its lock. */
  lockLifetime?: number;
  run(data: Data, context: JobContext): Promise<void>;
}

/** What `wake`, `wakeAt` and `every` take. */
export interface Job<Data extends JobData> {
  readonly name: string;
  readonly data: z.ZodType<Data>;
}

/** No job has a shorter one. */
export const defaultLockMs = minuteMs;

const jobs = new Map<string, RegisteredJob>();

/**
 * Defines a job: work that is woken by `wake`, `wakeAt` or `every`, and finds out for itself what there is to do.
 *
 * A wake-up is a hint (docs/ARCHITECTURE.md): it may be lost, come twice, or come while the job still runs. What is due
 * and what is done is stored in the feature's own collections; runs that must not meet take a lease (`withLease`). So a
 * job whose target is gone just returns. A job that throws is logged and not repeated: its feature stores when to try
 * again and wakes it for then. At boot each feature wakes what is due.
 * @throws Error when two jobs have one name, as each would run the other's wake-ups.
 */
export function defineJob<Data extends JobData>(definition: JobDefinition<Data>): Job<Data> {
  const { name, concurrency, lockLifetime = defaultLockMs } = definition;
  if (jobs.has(name)) throw new Error(`Two jobs are named ${name}.`);
  jobs.set(name, {
    name,
    concurrency,
    lockLifetime,
    stats: { running: 0, completed: 0, failed: 0 },
    run: (storedData, context) => definition.run(definition.data.parse(storedData), context),
  });
  return definition;
}

export function registeredJobs(): RegisteredJob[] {
  return [...jobs.values()];
}

/** The counters of every job by its name, since the process started. */
export function jobStats(): Record<string, Readonly<JobStats>> {
  return Object.fromEntries(registeredJobs().map(({ name, stats }) => [name, { ...stats }]));
}
