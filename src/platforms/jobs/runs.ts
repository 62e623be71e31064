import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { clock } from '../../lib/clock.js';
import { AppError } from '../../lib/errors.js';
import { FairQueue } from '../../lib/fair-queue.js';
import { logger, withLogContext } from '../../lib/logger.js';
import { dayMs, minuteMs } from '../../lib/time.js';
import { isDatabaseTrouble } from '../database/database-trouble.js';

/** The counters for work in `/metrics`: its running and ended runs in this process. */
export interface JobStats {
  running: number;
  completed: number;
  failed: number;
}

interface Work {
  readonly stats: JobStats;
  /** Maximum simultaneous runs per process, and 1 for each id. */
  readonly concurrency: number;
  run(id: string, signal: AbortSignal): Promise<void>;
}

const registered = new Map<string, Work>();

/** Gives work its own name and counters. @throws Error if the name is taken. */
export function registerWork(name: string, { run, concurrency }: Omit<Work, 'stats'>): void {
  if (registered.has(name)) throw new Error(`Two jobs are named ${name}.`);
  registered.set(name, { run, concurrency, stats: { running: 0, completed: 0, failed: 0 } });
}

/** The counters for all work since the process started, by name. */
export function jobStats(): Record<string, Readonly<JobStats>> {
  return Object.fromEntries([...registered].map(([name, { stats }]) => [name, { ...stats }]));
}

/** This process's runs, while its jobs run. */
interface Open {
  stopping: AbortController;
  queues: Map<string, FairQueue>;
  /** Ends for the runs that have not begun. */
  waiting: Map<string, Promise<void>>;
  /** All runs and what follows them, for an orderly stop. */
  underWay: Set<Promise<unknown>>;
  timers: Map<string, { at: Date; endsAtMs: number; timer: NodeJS.Timeout }>;
}

let open: Open | undefined;
/** Runs that were asked for while no jobs ran. */
const askedBefore = new Map<string, Asked>();

/** One run: the work's name, and an id if the work has several. */
export interface Asked {
  name: string;
  id: string;
}

const keyOf = ({ name, id }: Asked): string => `${name} ${id}`;

function askedBy(key: string): Asked {
  const [name = '', id = ''] = key.split(' ');
  return { name, id };
}

/** A context without a request: a run belongs to its work alone, in the log, in audit and in Discord's lanes. */
const outside = AsyncLocalStorage.snapshot();

/** Whether this process currently runs jobs (`/readyz`). */
export const jobsRunning = (): boolean => open !== undefined;

/** Begins what is asked for, from now on. @returns the end signal. @throws Error if jobs run already. */
export function openRuns(): AbortSignal {
  if (open !== undefined) throw new Error('Jobs can be started once.');
  const stopping = new AbortController();
  open = { stopping, queues: new Map(), waiting: new Map(), underWay: new Set(), timers: new Map() };
  for (const asked of askedBefore.values()) void runSoon(asked);
  askedBefore.clear();
  return stopping.signal;
}

/** Begins no more runs, aborts the others, and waits for them up to `graceMs`. */
export async function closeRuns(graceMs: number): Promise<void> {
  if (open === undefined) return;
  const { stopping, underWay, timers } = open;
  open = undefined;
  for (const { timer } of timers.values()) clearTimeout(timer);
  stopping.abort();
  const timeout = new AbortController();
  await Promise.race([Promise.allSettled(underWay), delay(graceMs, undefined, { signal: timeout.signal })]);
  timeout.abort();
  if (underWay.size > 0) logger.warn({ jobs: underWay.size }, 'jobs still running when the stop timeout ended');
}

/**
 * Runs work in this process, as soon as its concurrency allows, or when the jobs start. The run begins after this call,
 * so it sees everything written before. Calls until it begins share it. @returns the run's end; never throws.
 */
export function runSoon(asked: Asked): Promise<void> {
  const key = keyOf(asked);
  const now = open;
  if (now === undefined) {
    askedBefore.set(key, asked);
    return Promise.resolve();
  }
  const known = now.waiting.get(key);
  if (known !== undefined) return known;
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  now.waiting.set(key, ended);
  outside(() => queueFor(now, asked.name).add(asked.id, () => runNow(now, asked).finally(end)));
  keepUnderWay(ended);
  return ended;
}

/** Has an orderly stop wait for what follows a run. */
export function keepUnderWay(part: Promise<unknown>): void {
  const now = open;
  now?.underWay.add(part);
  void part.finally(() => now?.underWay.delete(part));
}

function queueFor({ queues }: Open, name: string): FairQueue {
  const known = queues.get(name);
  if (known !== undefined) return known;
  const queue = new FairQueue({ inAll: registered.get(name)?.concurrency ?? 1, perKey: 1 });
  queues.set(name, queue);
  return queue;
}

async function runNow({ waiting, stopping: { signal } }: Open, asked: Asked): Promise<void> {
  waiting.delete(keyOf(asked));
  if (!signal.aborted) await withLogContext({ jobId: randomUUID() }, () => runCounted(asked, signal));
}

async function runCounted({ name, id }: Asked, signal: AbortSignal): Promise<void> {
  const work = registered.get(name);
  if (work === undefined) return;
  const { stats } = work;
  const about = { job: name, ...(id !== '' && { id }) };
  stats.running += 1;
  try {
    await work.run(id, signal);
    stats.completed += 1;
  } catch (error) {
    if (error instanceof AppError && error.kind === 'not_found') {
      stats.completed += 1;
      logger.debug({ err: error, ...about }, 'nothing left to do');
    } else {
      stats.failed += 1;
      if (isWorthLogging(error)) logger.error({ ...failureOf(error), ...about }, 'job failed');
    }
  } finally {
    stats.running -= 1;
  }
}

let toldOfDatabaseAt = Number.NEGATIVE_INFINITY;

/** Every run fails while the database is unreachable. One such error is logged a minute. */
export function isWorthLogging(error: unknown): boolean {
  if (!isDatabaseTrouble(error)) return true;
  if (clock.monotonicMs() - toldOfDatabaseAt < minuteMs) return false;
  toldOfDatabaseAt = clock.monotonicMs();
  return true;
}

/** An error as it is logged: the database's absence is no fault in the code that met it, so its stack says nothing. */
export const failureOf = (error: unknown): { err: unknown } | { reason: string } =>
  isDatabaseTrouble(error) ? { reason: String(error) } : { err: error };

/** Runs work at a time, in this process; among several times the earliest counts. A kill loses it. */
export function runAt(asked: Asked, at: Date): void {
  const now = open;
  if (now === undefined) {
    askedBefore.set(keyOf(asked), asked);
    return;
  }
  const key = keyOf(asked);
  const waitMs = Math.min(Math.max(0, at.getTime() - clock.epochMs()), dayMs);
  // Not `at`: the wall clock may have jumped since a timer was set, and a jump moves no timer.
  const endsAtMs = clock.timerMs() + waitMs;
  const known = now.timers.get(key);
  if (known !== undefined && known.endsAtMs <= endsAtMs) return;
  clearTimeout(known?.timer);
  const run = (): void => {
    now.timers.delete(key);
    void runSoon(asked);
  };
  now.timers.set(key, { at, endsAtMs, timer: outside(() => setTimeout(run, waitMs).unref()) });
}

/** This process's runs that have not begun, each with its time. */
export function plannedRuns(): (Asked & { at: Date })[] {
  const later = [...(open?.timers.entries() ?? [])].map(([key, { at }]) => ({ ...askedBy(key), at }));
  return [...[...(open?.waiting.keys() ?? [])].map((key) => ({ ...askedBy(key), at: clock.now() })), ...later];
}
