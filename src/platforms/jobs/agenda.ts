import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoJobRepository } from '@agendajs/mongo-backend';
import { Agenda, type Job as AgendaJob } from 'agenda';
import mongoose from 'mongoose';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { DatabaseStartError } from '../../lib/start-error.js';
import { minuteMs } from '../../lib/time.js';
import { type WokenJob, wokenJobs } from './define-job.js';
import { isWorthLogging, runJob } from './run-job.js';
import { endStanding, openStanding } from './standing.js';
import { claimWakeUps, dueWakeUps, wakeUpChannel } from './wake.js';
import { prepareWakeUps, releaseWakeUps, removeWakeUps, WAKE_UPS } from './wake-up-store.js';

/** Interval of Agenda's own scan of all jobs, which finds nothing: `dueWakeUps` reports due jobs in time. */
const AGENDA_ROUND_MS = minuteMs;

interface RunningJobs {
  agenda: Agenda;
  /** Stored with the wake-ups claimed by this process. */
  owner: string;
  repository: ClaimRepository;
  stopping: AbortController;
  runs: Set<Promise<void>>;
}

let running: RunningJobs | undefined;

/**
 * Starts the registered jobs on Mongoose's connection; all must be defined before. Several processes on one database
 * share the work. @param options.soleProcess true for the database's only process (the embedded engine): jobs left
 * locked by a crash run immediately. @throws DatabaseStartError with the jobs that are stored but not defined.
 */
export async function startJobs({ soleProcess = false }: { soleProcess?: boolean } = {}): Promise<void> {
  const { db } = mongoose.connection;
  if (!db || running) throw new Error('Jobs can be started once, when the database is connected.');
  const repository = new ClaimRepository({ mongo: db, db: { collection: WAKE_UPS }, ensureIndex: false });
  await repository.connect();
  await refuseUnknownJobs(repository);
  await prepareWakeUps({ soleProcess });

  running = createAgenda(repository);
  await running.agenda.start();
  openStanding(running.stopping.signal, running.runs);
  void dueWakeUps.watch({ onDue: claimWakeUps, onFailure: noteFailure }, running.stopping.signal);
}

/**
 * Claims no more wake-ups, aborts running jobs, and waits for them up to `graceMs`. Unfinished wake-ups stay, so the
 * next start or another process continues immediately.
 */
export async function stopJobs(graceMs = 10_000): Promise<void> {
  if (!running) return;
  const { agenda, owner, repository, stopping, runs } = running;
  running = undefined;
  endStanding();
  stopping.abort();
  await repository.close();
  await agenda.stop(false);
  const timeout = new AbortController();
  await Promise.race([Promise.allSettled(runs), delay(graceMs, undefined, { signal: timeout.signal })]);
  timeout.abort();
  if (runs.size > 0) logger.warn({ jobs: runs.size }, 'jobs still running when the stop timeout ended');
  await releaseWakeUps(owner);
}

/** Jobs of earlier versions. Their stored wake-ups are removed. All but the first are standing work now. */
const retiredJobs: readonly string[] = [
  ...['recount-links', 'automatic-resyncs', 'catch-up-guilds', 'check-game-key', 'deliver-webhooks', 'erasures'],
  ...['purge-expired', 'read-traits', 'reconcile-billing', 'register-linked-roles', 'relay-events'],
  ...['resume-people-imports', 'resume-resyncs', 'retry-syncs', 'settle-accounts', 'settle-verifications'],
  ...['tell-joiners', 'watch-accounts', 'welcome-guilds', 'write-linked-roles'],
];

async function refuseUnknownJobs(repository: ClaimRepository): Promise<void> {
  const known = wokenJobs().map(({ name }) => name);
  const stored = (await repository.getDistinctJobNames()).filter((name) => !known.includes(name));
  const retired = stored.filter((name) => retiredJobs.includes(name));
  if (retired.length > 0) await removeWakeUps(retired);
  const unknown = stored.filter((name) => !retired.includes(name));
  if (unknown.length === 0) return;
  throw new DatabaseStartError(
    `Work is waiting for jobs that this version does not have: ${unknown.join(', ')}. ` +
      `Start the version that has them, or remove them from the collection ${WAKE_UPS}.`,
  );
}

function noteFailure(error: unknown): void {
  if (isWorthLogging(error)) logger.error({ err: error }, 'Agenda failed');
}

function createAgenda(repository: ClaimRepository): RunningJobs {
  const jobs = wokenJobs();
  const owner = `${hostname()}:${process.pid}:${randomUUID()}`;
  const agenda = new Agenda({
    name: owner,
    // Not MongoBackend: it would also keep three indexes on an unused log collection.
    backend: {
      name: 'MongoDB',
      repository,
      ownsConnection: false,
      connect: async () => {},
      disconnect: async () => {},
    },
    notificationChannel: wakeUpChannel,
    processEvery: AGENDA_ROUND_MS,
    // The total of all jobs; each has its own limit.
    maxConcurrency: jobs.reduce((sum, { concurrency }) => sum + concurrency, 1),
  });
  const started = { agenda, owner, repository, stopping: new AbortController(), runs: new Set<Promise<void>>() };
  for (const job of jobs) defineForAgenda(job, started);
  agenda.on('error', noteFailure);
  // Agenda fills a free place only in its next round; the place is free after this event. Messages from other
  // processes' Agendas also arrive here, without attributes, and free no place.
  agenda.on('complete', (run?: { attrs?: { name: string; repeatInterval?: unknown; nextRunAt?: Date | null } }) => {
    if (!run?.attrs) return;
    const { name, repeatInterval, nextRunAt } = run.attrs;
    if (repeatInterval !== undefined && nextRunAt) dueWakeUps.note(name, nextRunAt);
    setImmediate(takeMore, name);
  });
  return started;
}

/** Claims more due wake-ups of a job after one of its runs has ended. */
function takeMore(name: string): void {
  if (dueWakeUps.mayBeDue(name)) claimWakeUps(name);
}

function defineForAgenda(job: WokenJob, { agenda, runs, stopping }: RunningJobs): void {
  const { name, concurrency, lockLifetime } = job;
  const perform = (wakeUp: AgendaJob, done: () => void) => {
    const run = runJob(job, wakeUp, stopping.signal).finally(() => {
      runs.delete(run);
      done();
    });
    runs.add(run);
  };
  // If more were locked than run, other processes could not run them in the meantime.
  agenda.define(name, perform, { concurrency, lockLimit: concurrency, lockLifetime });
}

/** Whether this process currently runs jobs (`/readyz`). */
export function jobsRunning(): boolean {
  return running !== undefined;
}

type SaveJobState = MongoJobRepository['saveJobState'];
type OtherThanDue =
  Parameters<MongoJobRepository['getNextJobToRun']> extends [string, Date, ...infer Others] ? Others : never;

/**
 * Agenda's own repository (6.2.6) with repairs. It can stop claiming wake-ups; Agenda's `stop` leaves its last claim
 * locked. Every claim begins, however late. Agenda drops a claim with an expired lock, as after a clock jump, but
 * counts it as locked forever. The job would never run again in this process. So a claim has no lock time until it
 * begins, which locks it again. A repeating job is due again if its process is killed, and on time if the clock is set
 * back. Claims are made only for jobs that may have due wake-ups; Agenda itself polls for each job in each round.
 */
class ClaimRepository extends MongoJobRepository {
  readonly #claims = new Map<string, Promise<unknown>>();
  readonly #notBegun = new Set<string>();
  #isClosed = false;

  override async getNextJobToRun(...query: Parameters<MongoJobRepository['getNextJobToRun']>) {
    const [name] = query;
    // The current claim continues while something may be due. Parallel claims could exceed the job's places, and would
    // pile up if the database hangs.
    if (this.#claims.has(name)) return undefined;
    const claim = this.#claim(...query);
    this.#claims.set(name, claim);
    const claimed = await claim.finally(() => this.#claims.delete(name));
    if (claimed === undefined) return undefined;
    if (claimed.nextRunAt) dueWakeUps.taken(name, claimed.nextRunAt);
    this.#notBegun.add(String(claimed._id));
    const { lockedAt: _, ...notBegun } = claimed;
    return notBegun;
  }

  /** Agenda would also claim wake-ups due before its next round: `_by`. */
  async #claim(name: string, _by: Date, ...others: OtherThanDue): ReturnType<MongoJobRepository['getNextJobToRun']> {
    while (!this.#isClosed && dueWakeUps.mayBeDue(name)) {
      const noted = dueWakeUps.notesOf(name);
      const by = clock.machineTime();
      const claimed = await super.getNextJobToRun(name, by, ...others);
      if (claimed !== undefined) return claimed;
      dueWakeUps.noneDue(name, by, noted);
    }
    return undefined;
  }

  override async unlockJob(job: Parameters<MongoJobRepository['unlockJob']>[0]): Promise<void> {
    try {
      this.#notBegun.delete(String(job._id));
      await super.unlockJob(job);
      if (job.nextRunAt) dueWakeUps.givenBack(job.name, job.nextRunAt);
    } catch (error) {
      // Agenda does not wait for it. The lock expires.
      noteFailure(error);
    }
  }

  override async saveJobState(job: Parameters<SaveJobState>[0], options: Parameters<SaveJobState>[1]): Promise<void> {
    if (this.#notBegun.delete(String(job._id))) job.lockedAt = clock.machineTime();
    if (typeof job.repeatInterval !== 'number') return super.saveJobState(job, options);
    // A running wake-up is stored as due, so it is found again when a killed process's lock expires.
    if (job.lockedAt) return super.saveJobState({ ...job, nextRunAt: job.lockedAt }, options);
    // Agenda computed the next time when the run began: the clock may have been set back since.
    const latest = clock.machineTime().getTime() + job.repeatInterval;
    if (job.nextRunAt) job.nextRunAt = new Date(Math.min(job.nextRunAt.getTime(), latest));
    await super.saveJobState(job, options);
  }

  /** Claims no more wake-ups. Resolves after the last claim's answer. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#claims.values());
  }
}
