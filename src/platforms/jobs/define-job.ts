import type { Logger } from 'pino';
import type { z } from 'zod';
import { minuteMs } from '../../lib/time.js';

/** Ids only: the running job reads its work from our own collections. */
export type JobData = Record<string, string>;

export interface JobContext {
  /**
   * Aborted when the service stops, and when the job has lost its lock and another process may run it too. A long job
   * then saves its progress and ends at its next step. A job interrupted by a stop is woken again at the next start.
   */
  signal: AbortSignal;
  /** Its lines carry the job's name and data. */
  log: Logger;
}

/** The counters of work in `/metrics`: its running and ended runs in this process. */
export interface JobStats {
  running: number;
  completed: number;
  failed: number;
}

export interface NamedWork {
  readonly name: string;
  readonly stats: JobStats;
  /** @throws ZodError if the stored data does not fit the job, and any error of the job. */
  run(storedData: unknown, context: JobContext): Promise<void>;
}

/** A job as Agenda sees it. Its data is checked when it runs. */
export interface WokenJob extends NamedWork {
  readonly concurrency: number;
  readonly lockLifetime: number;
}

export interface JobDefinition<Data extends JobData> {
  /** Kebab-case and unique. It is stored with each wake-up, so renaming a job strands the waiting ones. */
  name: string;
  data: z.ZodType<Data>;
  /** Maximum number of simultaneous runs per process. */
  concurrency: number;
  /** Milliseconds until a crashed process's run is repeated. A live run renews its lock. */
  lockLifetime?: number;
  run(data: Data, context: JobContext): Promise<void>;
}

export interface Job<Data extends JobData> {
  readonly name: string;
  readonly data: z.ZodType<Data>;
}

/** The minimum for every job. */
export const defaultLockMs = minuteMs;

const registered = new Map<string, NamedWork>();
const woken: WokenJob[] = [];

/** Gives work a name of its own and its counters. @throws Error if the name is taken. */
export function registerWork(name: string, run: NamedWork['run']): NamedWork {
  if (registered.has(name)) throw new Error(`Two jobs are named ${name}.`);
  const work = { name, stats: { running: 0, completed: 0, failed: 0 }, run };
  registered.set(name, work);
  return work;
}

/**
 * Defines a job: work woken by `wake`, `wakeAt` or `every` that finds its own tasks. A wake-up is a hint
 * (docs/ARCHITECTURE.md): it may be lost, repeated, or arrive while the job runs. Due and finished work is stored in
 * the feature's own collections; exclusive runs take a lease (`withLease`). A job without its target simply returns. A
 * job that throws is logged and not repeated: its feature stores the retry time and wakes it then. At boot, each
 * feature wakes its due jobs. @throws Error if two jobs share a name, since each would run the other's wake-ups.
 */
export function defineJob<Data extends JobData>(definition: JobDefinition<Data>): Job<Data> {
  const { name, concurrency, lockLifetime = defaultLockMs } = definition;
  const run: NamedWork['run'] = (storedData, context) => definition.run(definition.data.parse(storedData), context);
  woken.push({ ...registerWork(name, run), concurrency, lockLifetime });
  return definition;
}

export const registeredJobs = (): NamedWork[] => [...registered.values()];

/** The jobs that Agenda wakes. */
export const wokenJobs = (): readonly WokenJob[] => woken;

/** The counters of all jobs and standing work since the process started, by name. */
export function jobStats(): Record<string, Readonly<JobStats>> {
  return Object.fromEntries(registeredJobs().map(({ name, stats }) => [name, { ...stats }]));
}
