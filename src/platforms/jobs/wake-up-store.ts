import { createHash } from 'node:crypto';
import mongoose from 'mongoose';
import { clock } from '../../lib/clock.js';
import type { JobData } from './define-job.js';

/** Agenda's collection, and the fields of its documents that we read or write ourselves (agenda 6.2.6). */
export const WAKE_UPS = 'agendaJobs';

interface StoredWakeUp {
  name: string;
  data: JobData;
  type: 'normal';
  priority: number;
  /** When it is due; null from the start of its run on, unless it repeats. */
  nextRunAt: Date | null;
  /** When a process took it or last renewed its hold; null while it waits. */
  lockedAt: Date | null;
  /** Name of the Agenda that took it. */
  lastModifiedBy?: string;
  /** Milliseconds from one run to the next. */
  repeatInterval?: number;
}

/** A wake-up that nobody has taken yet: whoever takes it will see all that has been written before. */
const WAITING = { lockedAt: null, nextRunAt: { $ne: null } };

const wakeUps = () => mongoose.connection.collection<StoredWakeUp>(WAKE_UPS);

/**
 * Stores a wake-up for `when`, or moves one that waits with the same name and data to it, if that is later. Agenda's
 * own `unique` would change one that is running as well, and so lose it when the run ends.
 */
export async function storeWakeUp(name: string, data: JobData, when: Date): Promise<void> {
  await wakeUps().updateOne(
    { name, data, ...WAITING },
    { $min: { nextRunAt: when }, $setOnInsert: { type: 'normal', priority: 0 } },
    { upsert: true },
  );
}

/**
 * Stores the wake-up that repeats `name` every `interval` milliseconds, or changes its interval. There is one, however
 * many processes say so, as its id comes from the name; Agenda's `every` would unlock one that is running.
 */
export async function storeRepeatingWakeUp(name: string, interval: number): Promise<void> {
  const id = new mongoose.Types.ObjectId(createHash('sha256').update(name).digest('hex').slice(0, 24));
  await wakeUps().updateOne(
    { _id: id },
    {
      $set: { repeatInterval: interval },
      $min: { nextRunAt: new Date(clock.epochMs() + interval) },
      $setOnInsert: { name, data: {}, type: 'normal', priority: 0, lockedAt: null },
    },
    { upsert: true },
  );
}

/** How many wake-ups wait, not counting those that repeat, and how many of them should have been taken by `now`. */
export async function countWakeUps(now: Date): Promise<{ waiting: number; due: number }> {
  const waiting = { ...WAITING, repeatInterval: { $exists: false } };
  const [all, due] = await Promise.all([
    wakeUps().countDocuments(waiting),
    wakeUps().countDocuments({ ...waiting, nextRunAt: { $lte: now } }),
  ]);
  return { waiting: all, due };
}

/** Makes the index of `storeWakeUp`, and removes wake-ups whose run has ended, should that have failed then. */
export async function prepareWakeUps(): Promise<void> {
  // storeWakeUp: the waiting one with this name and data.
  await wakeUps().createIndex({ name: 1, data: 1 });
  await wakeUps().deleteMany({ lockedAt: null, nextRunAt: null });
}

/** Lets the wake-ups be taken again, at once, that an Agenda has taken: the one named, or all without a name. */
export async function releaseWakeUps(takenBy?: string): Promise<void> {
  const filter = takenBy === undefined ? {} : { lastModifiedBy: takenBy };
  await wakeUps().updateMany({ ...filter, lockedAt: { $ne: null } }, [
    { $set: { lockedAt: null, nextRunAt: { $ifNull: ['$nextRunAt', clock.now()] } } },
  ]);
}
