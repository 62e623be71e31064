import type { Job as AgendaJob } from 'agenda';
import { clock } from '../../lib/clock.js';
import { AppError } from '../../lib/errors.js';
import { logger, withLogContext } from '../../lib/logger.js';
import { minuteMs } from '../../lib/time.js';
import { isDatabaseTrouble } from '../database/database-trouble.js';
import type { NamedWork, WokenJob } from './define-job.js';

/** Number of lock renewals per lifetime: every 15 s at the default of 60 s. */
const RENEWALS = 4;

/**
 * Runs a job for a claimed wake-up and removes the wake-up. Never throws: a job's error is logged with its name and
 * data, without further effect (see `defineJob`). @param stopping aborted when the service stops: from then on the
 * wake-up is kept for the next start.
 */
export async function runJob(job: WokenJob, wakeUp: AgendaJob, stopping: AbortSignal): Promise<void> {
  const { data, _id, repeatInterval } = wakeUp.attrs;
  await withLogContext({ jobId: String(_id) }, async () => {
    if (!stopping.aborted) await runUnderLock(job, data, wakeUp, stopping);
    // Agenda saves this time when the run is over.
    if (stopping.aborted) wakeUp.schedule(clock.machineTime());
    else if (repeatInterval === undefined) await wakeUp.remove();
  }).catch((error) => logger.error({ err: error, job: job.name, data }, 'wake-up not removed'));
}

async function runUnderLock(job: WokenJob, data: unknown, wakeUp: AgendaJob, stopping: AbortSignal): Promise<void> {
  const lock = keepLocked(wakeUp, job.lockLifetime);
  await runCounted(job, data, AbortSignal.any([stopping, lock.lost])).finally(lock.release);
}

/** Runs work once and counts the run. Never throws: an error is logged. */
export async function runCounted({ name, stats, run }: NamedWork, data: unknown, signal: AbortSignal): Promise<void> {
  const log = logger.child({ job: name, data });
  stats.running += 1;
  try {
    await run(data, { signal, log });
    stats.completed += 1;
  } catch (error) {
    if (error instanceof AppError && error.kind === 'not_found') {
      stats.completed += 1;
      log.debug({ err: error }, 'nothing left to do');
    } else {
      stats.failed += 1;
      if (isWorthLogging(error)) log.error({ err: error }, 'job failed');
    }
  } finally {
    stats.running -= 1;
  }
}

let toldOfDatabaseAt = Number.NEGATIVE_INFINITY;

/** Every run fails while the database is unreachable. One of those errors is logged a minute. */
export function isWorthLogging(error: unknown): boolean {
  if (!isDatabaseTrouble(error)) return true;
  if (clock.monotonicMs() - toldOfDatabaseAt < minuteMs) return false;
  toldOfDatabaseAt = clock.monotonicMs();
  return true;
}

/** Renews Agenda's lock until `release`. `lost` is aborted when renewals have failed for a lock's whole lifetime. */
function keepLocked(wakeUp: AgendaJob, lifetime: number): { lost: AbortSignal; release(): Promise<void> } {
  const lost = new AbortController();
  let renewedAt = clock.monotonicMs();
  const renew = async () => {
    const askedAt = clock.monotonicMs();
    try {
      await wakeUp.touch();
      renewedAt = askedAt;
    } catch (error) {
      logger.warn({ err: error, job: wakeUp.attrs.name }, 'job lock not renewed');
      if (clock.monotonicMs() - renewedAt >= lifetime) lost.abort(error);
    }
  };
  let renewal = Promise.resolve();
  const timer = setInterval(() => {
    renewal = renew();
  }, lifetime / RENEWALS);
  const release = () => {
    clearInterval(timer);
    // A renewal arriving after the run's end would lock the wake-up again.
    return renewal;
  };
  return { lost: lost.signal, release };
}
