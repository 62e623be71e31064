import { createHash } from 'node:crypto';
import mongoose, { type mongo } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { defaultLockMs, type JobData } from './define-job.js';

/**
 * Agenda's collection, with the document fields that we read or write directly (agenda 6.2.6). Agenda uses `Date`, so
 * all its times are machine time.
 */
export const WAKE_UPS = 'agendaJobs';

interface StoredWakeUp {
  name: string;
  data: JobData;
  type: 'normal';
  priority: number;
  /** The due time. After its run begins: null, or the lock time if it repeats. */
  nextRunAt: Date | null;
  /** The time when a process claimed it or last renewed its lock; null while it waits. */
  lockedAt: Date | null;
  /** Name of the Agenda that claimed it. */
  lastModifiedBy?: string;
  /** Milliseconds from one run to the next. */
  repeatInterval?: number;
}

/** An unclaimed wake-up: its future run will see everything written before. */
const WAITING = { lockedAt: null, nextRunAt: { $ne: null } };

const wakeUps = () => mongoose.connection.collection<StoredWakeUp>(WAKE_UPS);

/**
 * Stores a wake-up for `when`. A waiting one with the same name and data is moved to `when` if it is later. Agenda's
 * own `unique` would also change a running one, and lose the change when the run ends.
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
 * name, so several processes store only one. Agenda's `every` would unlock a running one.
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

export async function removeWakeUps(names: readonly string[]): Promise<void> {
  await wakeUps().deleteMany({ name: { $in: [...names] } });
}

/** The earliest time at which a killed process's lock has expired. */
const shortestLockMs = defaultLockMs;

/** `dueBetween` groups wake-ups due within this many milliseconds. */
const countedTogetherMs = 50;

/** The time in milliseconds under which `dueBetween` counts a wake-up due at `time`. */
export function roundedUp(time: number): number {
  return (Math.floor(time / countedTogetherMs) + 1) * countedTogetherMs;
}

/**
 * The number of each job's wake-ups by due time, up to `end` in machine time, including claimed unfinished ones. Each
 * is counted at its time rounded up, when it certainly is due, or at `now` if overdue.
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

/** The number of waiting wake-ups, without repeating ones, and the number overdue at `now`. */
export async function countWakeUps(now: Date): Promise<{ waiting: number; due: number }> {
  const waiting = { ...WAITING, repeatInterval: { $exists: false } };
  const [all, due] = await Promise.all([
    wakeUps().countDocuments(waiting),
    wakeUps().countDocuments({ ...waiting, nextRunAt: { $lte: clock.machineTime(now) } }),
  ]);
  return { waiting: all, due };
}

/**
 * Repairs times left in the future by a clock set back. A repeating wake-up is due within one interval, and no lock
 * time is later than now. Otherwise every standing job would stop until the clock has caught up.
 */
export async function mendWakeUps(): Promise<void> {
  await wakeUps().bulkWrite(mends());
}

function mends(): Change[] {
  const now = clock.machineTime();
  // A lock time in the future makes the wake-up due: its process may have been killed.
  const latest = { $cond: [{ $gt: ['$lockedAt', now] }, now, { $add: [now, '$repeatInterval'] }] };
  const early = { $set: { nextRunAt: { $min: ['$nextRunAt', latest] } } };
  return [
    { updateMany: { filter: { repeatInterval: { $exists: true }, nextRunAt: { $gt: now } }, update: [early] } },
    { updateMany: { filter: { lockedAt: { $gt: now } }, update: { $set: { lockedAt: now } } } },
  ];
}

type Change = mongo.AnyBulkWriteOperation<StoredWakeUp>;

/**
 * Builds the indexes, removes leftover wake-ups of ended runs and mends the others. If no other process uses the
 * database, also unlocks those of a killed process.
 */
export async function prepareWakeUps({ soleProcess }: { soleProcess: boolean }): Promise<void> {
  await wakeUps().createIndexes([
    // Agenda's own, for its claims.
    { key: { name: 1, nextRunAt: 1, priority: -1, lockedAt: 1, disabled: 1 }, name: 'findAndLockNextJobIndex' },
    // storeWakeUp: the waiting one with this name and data.
    { key: { name: 1, data: 1 } },
    // dueBetween: those of all jobs.
    { key: { nextRunAt: 1 } },
  ]);
  const leftover: Change = { deleteMany: { filter: { lockedAt: null, nextRunAt: null } } };
  await wakeUps().bulkWrite([leftover, ...mends(), ...(soleProcess ? [release({})] : [])]);
}

/** Unlocks the wake-ups that the named Agenda has claimed, so that they run immediately. */
export async function releaseWakeUps(takenBy: string): Promise<void> {
  await wakeUps().bulkWrite([release({ lastModifiedBy: takenBy })]);
}

function release(claimed: Pick<StoredWakeUp, 'lastModifiedBy'>): Change {
  const update = [{ $set: { lockedAt: null, nextRunAt: { $ifNull: ['$nextRunAt', clock.machineTime()] } } }];
  return { updateMany: { filter: { ...claimed, lockedAt: { $ne: null } }, update } };
}
