import { setImmediate } from 'node:timers/promises';
import mongoose from 'mongoose';
import { withLease } from '../../../src/platforms/database/lease.js';

/** Adds one to a stored counter `times` times, by reading and then writing: right only without other writers. */
export async function incrementUnderLease(key: string, times: number): Promise<void> {
  const counters = mongoose.connection.collection<{ _id: string; value: number }>('counters');
  const increment = async () => {
    const value = (await counters.findOne({ _id: key }))?.value ?? 0;
    await setImmediate();
    await counters.updateOne({ _id: key }, { $set: { value: value + 1 } }, { upsert: true });
  };
  await Promise.all(Array.from({ length: times }, () => withLease(key, increment, { waitMs: 55_000 })));
}
