import { AsyncLocalStorage } from 'node:async_hooks';
import { InMemoryNotificationChannel, toJobId } from 'agenda';
import { clock } from '../../lib/clock.js';
import { KeyedQueue } from '../../lib/keyed-queue.js';
import { logger } from '../../lib/logger.js';
import type { Job, JobData } from './define-job.js';
import { DueWakeUps } from './due-wake-ups.js';
import { storeRepeatingWakeUp, storeWakeUp } from './wake-up-store.js';

/** Makes this process's Agenda take work at once; other processes look every 5 s. Open while jobs run. */
export const wakeUpChannel = new InMemoryNotificationChannel();

/** What this process's Agenda has to claim. */
export const dueWakeUps = new DueWakeUps();

/** A wake-up about to be written. Further ones that come before the write share it. */
interface PendingWrite {
  when: Date;
  written?: Promise<void>;
}

/** A context without any request: a run belongs to its job alone, in the log, in audit and in Discord's lanes. */
const outside = AsyncLocalStorage.snapshot();

const pendingWrites = new Map<string, PendingWrite>();
const writes = new KeyedQueue();

/**
 * Wakes a job. A run begins after this call, and so sees everything written before it, as soon as the job's concurrency
 * allows. Calls with the same data until then share that run. Resolves when the wake-up is stored, which needs no
 * running Agenda.
 * @throws ZodError when `data` is not the job's.
 */
export function wake<Data extends JobData>(job: Job<Data>, data: Data): Promise<void> {
  return wakeAt(job, data, clock.now());
}

/** Like `wake`, for a run at `when`; of several times with the same data, the earliest counts. */
export async function wakeAt<Data extends JobData>(job: Job<Data>, data: Data, when: Date): Promise<void> {
  // Parsed fields have the schema's order, and stored data is compared with its order.
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

/** Wakes a job every `interval` milliseconds, first after one interval, in whichever process is free. */
export function every(job: Job<Record<string, never>>, interval: number): Promise<void> {
  return storeRepeatingWakeUp(job.name, interval);
}

/** Makes Agenda take what is due of a job. */
export function takeDue(name: string): void {
  if (wakeUpChannel.state !== 'connected') return;
  // A time would be compared with that of Agenda's last round, which lies behind when the clock was set forward.
  const timestamp = clock.machineTime();
  const notification = { jobId: toJobId(''), jobName: name, nextRunAt: null, priority: 0, timestamp };
  outside(() => wakeUpChannel.publish(notification)).catch((error) =>
    logger.error({ err: error, job: name }, 'jobs not looked for'),
  );
}
