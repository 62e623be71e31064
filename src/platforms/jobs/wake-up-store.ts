import { createHash } from 'node:crypto';
import mongoose from 'mongoose';
import { clock } from '../../lib/clock.js';
import { defaultLockMs, type JobData } from './define-job.js';

/**
 * Agenda's collection, and the fields of its documents that we read or write ourselves (agenda 6.2.6). Agenda asks `Date`
 * for the time, so all times in it are of the machine.
 */
export const WAKE_UPS = 'agendaJobs';

interface StoredWakeUp {
  name: string;
  data: JobData;
  type: 'normal';
  priority: number;
  /** When it is due. Once its run has begun null, or when it was locked if it repeats. */
  nextRunAt: Date | null;
  /** When a process took it or last renewed its lock; null while it waits. */
  lockedAt: Date | null;
  /** Name of the Agenda that took it. */
  lastModifiedBy?: string;
  /** Milliseconds from one run to the next. */
  repeatInterval?: number;
}

/** A wake-up that nobody has taken yet: whoever takes it will see everything written before. */
const WAITING = { lockedAt: null, nextRunAt: { $ne: null } };

const wakeUps = () => mongoose.connection.collection<StoredWakeUp>(WAKE_UPS);

/**
 * Stores a wake-up for `when`. If one with the same name and data waits for later, it is moved to `when`. Agenda's own
 * `unique` would also change a running one, and lose the change when the run ends.
 */
export async function storeWakeUp(name: string, data: JobData, when: Date): Promise<void> {
  await wakeUps().updateOne(
    { name, data, ...WAITING },
    { $min: { nextRunAt: clock.machineTime(when) }, $setOnInsert: { type: 'normal', priority: 0 } },
    { upsert: true },
  );
}

/**
 * Stores the wake-up that repeats `name` every `interval` milliseconds, or changes its interval. Its id comes from the
 * name, so there is one however many processes store it. Agenda's `every` would unlock a running one.
 */
export async function storeRepeatingWakeUp(name: string, interval: number): Promise<void> {
  const id = new mongoose.Types.ObjectId(createHash('sha256').update(name).digest('hex').slice(0, 24));
  await wakeUps().updateOne(
    { _id: id },
    {
      $set: { repeatInterval: interval },
      $min: { nextRunAt: clock.machineTime(new Date(clock.epochMs() + interval)) },
      $setOnInsert: { name, data: {}, type: 'normal', priority: 0, lockedAt: null },
    },
    { upsert: true },
  );
}

/** Removes every wake-up with one of these names. */
export async function removeWakeUps(names: readonly string[]): Promise<void> {
  await wakeUps().deleteMany({ name: { $in: [...names] } });
}

/** The lock of a process that was killed has run out after that, at the earliest. */
const shortestLockMs = defaultLockMs;

/** `dueBetween` counts together what falls due within so many milliseconds. */
const countedTogetherMs = 50;

/** The time in milliseconds by which `dueBetween` counts a wake-up that is due at `time`. */
export function roundedUp(time: number): number {
  return (Math.floor(time / countedTogetherMs) + 1) * countedTogetherMs;
}

/**
 * How many wake-ups of each job are due when, by `end` of the machine's time, those counted too that a process has taken
 * and not finished: each at its time rounded up, at which it certainly is due, or `now` if it is overdue.
 */
export async function dueBetween(now: Date, end: Date): Promise<{ name: string; at: Date; count: number }[]> {
  const expired = { lockedAt: { $lte: new Date(now.getTime() - shortestLockMs) } };
  const due = { lockedAt: null, nextRunAt: { $ne: null } };
  const within = { $dateTrunc: { date: '$nextRunAt', unit: 'millisecond', binSize: countedTogetherMs } };
  const roundedUpTime = { $add: [within, countedTogetherMs] };
  const at = { $cond: [{ $gt: ['$nextRunAt', now] }, roundedUpTime, now] };
  const pipeline = [
    { $match: { nextRunAt: { $not: { $gt: end } }, disabled: { $ne: true }, $or: [due, expired] } },
    { $group: { _id: { name: '$name', at }, count: { $sum: 1 } } },
    { $replaceWith: { name: '$_id.name', at: '$_id.at', count: '$count' } },
  ];
  const hint = { nextRunAt: 1 };
  return wakeUps().aggregate<{ name: string; at: Date; count: number }>(pipeline, { hint }).toArray();
}

/** How many wake-ups wait, without those that repeat, and how many of them should have been taken by `now`. */
export async function countWakeUps(now: Date): Promise<{ waiting: number; due: number }> {
  const waiting = { ...WAITING, repeatInterval: { $exists: false } };
  const [all, due] = await Promise.all([
    wakeUps().countDocuments(waiting),
    wakeUps().countDocuments({ ...waiting, nextRunAt: { $lte: clock.machineTime(now) } }),
  ]);
  return { waiting: all, due };
}

/**
 * Sets right what a clock that was set back has left in the future: a repeating wake-up is due within one interval, and
 * no lock was taken later than now. Without it, every standing job would stop until the clock has caught up.
 */
export async function mendWakeUps(): Promise<void> {
  const now = clock.machineTime();
  // Whatever was locked at a time to come is due: its process may have been killed.
  const latest = { $cond: [{ $gt: ['$lockedAt', now] }, now, { $add: [now, '$repeatInterval'] }] };
  await wakeUps().updateMany({ repeatInterval: { $exists: true }, nextRunAt: { $gt: now } }, [
    { $set: { nextRunAt: { $min: ['$nextRunAt', latest] } } },
  ]);
  await wakeUps().updateMany({ lockedAt: { $gt: now } }, { $set: { lockedAt: now } });
}

/** Builds the index for `storeWakeUp`, and removes wake-ups whose run has ended but which could not be removed then. */
export async function prepareWakeUps(): Promise<void> {
  // storeWakeUp: the waiting one with this name and data.
  await wakeUps().createIndex({ name: 1, data: 1 });
  // dueBetween: those of all jobs.
  await wakeUps().createIndex({ nextRunAt: 1 });
  await wakeUps().deleteMany({ lockedAt: null, nextRunAt: null });
}

/**
 * Frees wake-ups that an Agenda has taken, so that they run at once: those of the named Agenda, or all without a name.
 */
export async function releaseWakeUps(takenBy?: string): Promise<void> {
  const filter = takenBy === undefined ? {} : { lastModifiedBy: takenBy };
  await wakeUps().updateMany({ ...filter, lockedAt: { $ne: null } }, [
    { $set: { lockedAt: null, nextRunAt: { $ifNull: ['$nextRunAt', clock.machineTime()] } } },
  ]);
}
