import { MongoJobRepository } from '@agendajs/mongo-backend';
import { Agenda } from 'agenda';
import mongoose from 'mongoose';
import { logger } from '../../lib/logger.js';
import { secondMs } from '../../lib/time.js';
import { isDatabaseTrouble } from '../database/database-trouble.js';
import { closeRuns, openRuns } from './runs.js';
import { runDueWork, type StandingJob, startStanding } from './standing.js';
import { claimEveryMs } from './standing-claims.js';

/** Agenda's only job: it begins all work that is due, resyncs and webhook retries included. */
const waker = 'standing';

let agenda: Agenda | undefined;

/**
 * Starts to run what is poked and woken, and Agenda's schedule for the standing work that is `wanted`: for none, if
 * left out. All work must be declared before. Several processes on one database share the work.
 */
export async function startJobs(wanted?: (job: StandingJob) => boolean): Promise<void> {
  const { db } = mongoose.connection;
  if (db === undefined) throw new Error('Jobs start when the database is connected.');
  const signal = openRuns();
  if (wanted === undefined) return;
  const repository = new MongoJobRepository({ mongo: db, db: { collection: 'agendaJobs' } });
  await repository.connect();
  agenda = createAgenda(repository);
  await agenda.start();
  startStanding(wanted, signal);
  await renewSchedule();
}

/**
 * Begins no more runs, aborts running ones, and waits for them up to `graceMs`. The unfinished work stays pending, so
 * the next start or another process continues.
 */
export async function stopJobs(graceMs = 10_000): Promise<void> {
  const stopped = agenda;
  agenda = undefined;
  await Promise.all([closeRuns(graceMs), stopped?.drain({ timeout: graceMs })]);
}

/**
 * Plans Agenda's next run one interval from now. It also ends a killed process's lock, and a time or lock that a clock
 * has set before it was set back. An earlier or doubled run does no harm: the work itself is claimed.
 */
export async function renewSchedule(): Promise<void> {
  await agenda?.every(claimEveryMs, waker, undefined, { skipImmediate: true });
}

function createAgenda(repository: MongoJobRepository): Agenda {
  const created = new Agenda({
    // Not MongoBackend: it would also keep three indexes on an unused log collection.
    backend: {
      name: 'MongoDB',
      repository,
      ownsConnection: false,
      connect: async () => {},
      disconnect: async () => {},
    },
    processEvery: 5 * secondMs,
  });
  // Without a lock limit: Agenda drops a claim whose lock a clock jump has ended, and counts it as held.
  const run = (_job: unknown, done: () => void): void => void runDueWork().catch(noteFailure).finally(done);
  created.define(waker, run, { concurrency: 1, lockLifetime: claimEveryMs });
  created.on('error', noteFailure);
  return created;
}

/** Running work logs the database's absence itself. */
function noteFailure(error: unknown): void {
  if (!isDatabaseTrouble(error)) logger.error({ err: error }, 'due work not begun');
}
