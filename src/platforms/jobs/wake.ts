import { AsyncLocalStorage } from 'node:async_hooks';
import { InMemoryNotificationChannel, toJobId } from 'agenda';
import { clock } from '../../lib/clock.js';
import { KeyedQueue } from '../../lib/keyed-queue.js';
import { logger } from '../../lib/logger.js';
import type { Job, JobData } from './define-job.js';
import { DueWakeUps } from './due-wake-ups.js';
import { storeRepeatingWakeUp, storeWakeUp } from './wake-up-store.js';

/** Makes this process's Agenda claim work immediately; other processes poll every 5 s. Open while jobs run. */
export const wakeUpChannel = new InMemoryNotificationChannel();

export const dueWakeUps = new DueWakeUps();

/** A wake-up about to be written. Later calls before the write share it. */
interface PendingWrite {
  when: Date;
  written?: Promise<void>;
}

/** A context without a request: a run belongs to its job alone, in the log, in audit and in Discord's lanes. */
const outside = AsyncLocalStorage.snapshot();

const pendingWrites = new Map<string, PendingWrite>();
const writes = new KeyedQueue();

/**
 * Wakes a job. A run begins after this call, as soon as the job's concurrency allows, and sees everything written
 * before. Calls with the same data until then share that run. Resolves when the wake-up is stored, even without a
 * running Agenda. @throws ZodError if `data` does not fit the job.
 */
export function wake<Data extends JobData>(job: Job<Data>, data: Data): Promise<void> {
  return wakeAt(job, data, clock.now());
}

/** Like `wake`, for a run at `when`; for the same data, the earliest time counts. */
export async function wakeAt<Data extends JobData>(job: Job<Data>, data: Data, when: Date): Promise<void> {
  // Parsed fields have the schema's order, as stored data has.
  const parsed = job.data.parse(data);
  const key = `${job.name} ${JSON.stringify(parsed)}`;
  const known = pendingWrites.get(key);
  const pending: PendingWrite = known ?? { when };
  if (when < pending.when) pending.when = when;
  if (!known) {
    pendingWrites.set(key, pending);
    pending.written = writes.add(key, async () => {
      pendingWrites.delete(key);
      await storeWakeUp(job.name, parsed, pending.when);
      dueWakeUps.note(job.name, clock.machineTime(pending.when));
    });
  }
  await pending.written;
}

/** Wakes a job every `interval` milliseconds, first after one interval, in any free process. */
export function every(job: Job<Record<string, never>>, interval: number): Promise<void> {
  return storeRepeatingWakeUp(job.name, interval);
}

export function claimWakeUps(name: string): void {
  if (wakeUpChannel.state !== 'connected') return;
  // A given time would be compared with Agenda's last round, which lags if the clock was set forward.
  const timestamp = clock.machineTime();
  const notification = { jobId: toJobId(''), jobName: name, nextRunAt: null, priority: 0, timestamp };
  outside(() => wakeUpChannel.publish(notification)).catch((error) =>
    logger.error({ err: error, job: name }, 'due jobs not read'),
  );
}
