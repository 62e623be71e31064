import { model, trusted } from 'mongoose';
import { z } from 'zod';
import { Gathered } from '../../lib/gathered.js';
import { hourMs } from '../../lib/time.js';
import { isDuplicateKey } from './duplicate-key.js';
import { schemaOf } from './schema-of.js';

/** A lease as stored. Who holds it is said by `owner` for as long as `until` is to come. */
const leaseFields = z.strictObject({
  /** The key. */
  _id: z.string(),
  owner: z.string(),
  until: z.date(),
  fence: z.number(),
});

/**
 * A returned lease is kept for this long, so that its fence can rise by one. Later leases start from the time in
 * milliseconds, which by then is higher than any counted fence: passing it would take a thousand leases on one key
 * every second. Only a clock set back by more than this could repeat a fence.
 */
const KEPT_AFTER_USE_MS = hourMs;

const leaseSchema = schemaOf('leases', leaseFields);
// purgeLeases: those long unused.
leaseSchema.index({ until: 1 });
const LeaseModel = model('Lease', leaseSchema);

/**
 * Takes the lease if it is free, in one write. All times are the database's own (`$$NOW`), so that the clocks of the
 * processes need not agree.
 * @returns the lease's fence, greater than that of every lease on `key` before; undefined when it is not free.
 */
export async function claimLease(key: string, owner: string, holdMs: number): Promise<number | undefined> {
  // A lease that was given back is free even where the database's clock has been set back since.
  const isFree = {
    $or: [{ $eq: [{ $ifNull: ['$owner', ''] }, ''] }, { $lte: [{ $ifNull: ['$until', new Date(0)] }, '$$NOW'] }],
  };
  const fence = { $max: [{ $add: [{ $ifNull: ['$fence', 0] }, 1] }, { $toLong: '$$NOW' }] };
  const taken = { _id: '$_id', owner: { $literal: owner }, until: { $add: ['$$NOW', holdMs] }, fence };
  try {
    const stored = await LeaseModel.findOneAndUpdate(
      { _id: key },
      [{ $replaceWith: { $cond: [isFree, taken, '$$ROOT'] } }],
      { upsert: true, returnDocument: 'after', updatePipeline: true },
    ).lean();
    return stored?.owner === owner ? stored.fence : undefined;
  } catch (error) {
    // Two processes have made the first claim on a key at once, and this one was second.
    if (isDuplicateKey(error)) return undefined;
    throw error;
  }
}

/** Holds the lease for another `holdMs` from now. @returns false when it has been taken over. */
export function renewLease(key: string, owner: string, holdMs: number): Promise<boolean> {
  return updateOwnLease(key, owner, { until: { $add: ['$$NOW', holdMs] } });
}

/** How many leases one command gives back. */
const releasesPerWrite = 100;

const releasing = new Gathered<{ key: string; owner: string }, undefined>(
  async (leases) => {
    const update = [{ $set: { until: '$$NOW', owner: '' } }];
    const writes = leases.map(({ key, owner }) => ({ updateOne: { filter: { _id: key, owner }, update } }));
    await LeaseModel.bulkWrite(writes, { ordered: false });
    return [];
  },
  { most: releasesPerWrite, atOnce: 2 },
);

/** Gives the lease back unless somebody took it over. A later renewal finds nothing to renew. Many go together. */
export async function releaseLease(key: string, owner: string): Promise<void> {
  await releasing.add({ key, owner });
}

async function updateOwnLease(key: string, owner: string, change: Record<string, unknown>): Promise<boolean> {
  const pipeline = [{ $set: change }];
  const { matchedCount } = await LeaseModel.updateOne({ _id: key, owner }, pipeline, { updatePipeline: true });
  return matchedCount === 1;
}

/**
 * Ends every lease. For the database's only process: the work that the leases protected ended with the process before.
 */
export async function endAllLeases(): Promise<void> {
  await LeaseModel.updateMany({ owner: trusted({ $ne: '' }) }, [{ $set: { until: '$$NOW', owner: '' } }], {
    updatePipeline: true,
  });
}

/** Deletes the leases that have not been used for an hour. @returns how many. */
export async function purgeLeases(now: Date): Promise<number> {
  const unusedSince = new Date(now.getTime() - KEPT_AFTER_USE_MS);
  const { deletedCount } = await LeaseModel.deleteMany({ until: trusted({ $lt: unusedSince }) });
  return deletedCount;
}
