import { model, trusted } from 'mongoose';
import { z } from 'zod';
import { Batcher } from '../../lib/batcher.js';
import { hourMs } from '../../lib/time.js';
import { updateManyDirectly, upsertDirectly } from './direct-writes.js';
import { isDuplicateKey } from './duplicate-key.js';
import { schemaOf } from './schema-of.js';

/** A lease as stored. `owner` holds it until `until`. */
const leaseFields = z.strictObject({
  _id: z.string(),
  owner: z.string(),
  until: z.date(),
  fence: z.number(),
});

/**
 * Time for which a returned lease is kept, so that its fence can rise by one. Later leases start from the time in
 * milliseconds, which exceeds every counted fence. To pass it, one key would need a thousand leases every second. Only
 * a clock set back by more than this could repeat a fence.
 */
const KEPT_AFTER_USE_MS = hourMs;

const leaseSchema = schemaOf('leases', leaseFields);
// purgeLeases: long unused leases.
leaseSchema.index({ until: 1 });
const LeaseModel = model<z.output<typeof leaseFields>>('Lease', leaseSchema);

/**
 * Claims the lease if it is free, in one write. All times are the database's (`$$NOW`), so process clocks need not
 * agree. @returns the lease's fence, greater than every earlier fence of `key`; undefined if the lease is not free.
 */
export async function claimLease(key: string, owner: string, holdMs: number): Promise<number | undefined> {
  // A returned lease is free even if the database's clock has been set back since.
  const isFree = {
    $or: [{ $eq: [{ $ifNull: ['$owner', ''] }, ''] }, { $lte: [{ $ifNull: ['$until', new Date(0)] }, '$$NOW'] }],
  };
  const fence = { $max: [{ $add: [{ $ifNull: ['$fence', 0] }, 1] }, { $toLong: '$$NOW' }] };
  const taken = { _id: '$_id', owner: { $literal: owner }, until: { $add: ['$$NOW', holdMs] }, fence };
  try {
    const stored = await upsertDirectly(LeaseModel, key, [{ $replaceWith: { $cond: [isFree, taken, '$$ROOT'] } }]);
    return stored?.owner === owner ? stored.fence : undefined;
  } catch (error) {
    // Two processes made a key's first claim at the same time, and this one was second.
    if (isDuplicateKey(error)) return undefined;
    throw error;
  }
}

export interface Claim {
  key: string;
  owner: string;
  fence: number;
  holdMs: number;
}

/** Extends leases to `holdMs` from now, all in one write. @returns the keys that were taken over. */
export async function renewLeases(claims: readonly Claim[]): Promise<Set<string>> {
  const writes = claims.map(({ key, owner, holdMs }) => ({
    updateOne: { filter: { _id: key, owner }, update: [{ $set: { until: { $add: ['$$NOW', holdMs] } } }] },
  }));
  const { matchedCount } = await LeaseModel.bulkWrite(writes, { ordered: false });
  if (matchedCount === claims.length) return new Set();
  const keys = claims.map(({ key }) => key);
  const stored = await LeaseModel.find({ _id: trusted({ $in: keys }) }, { owner: 1 }).lean();
  const owners = new Map(stored.map(({ _id, owner }) => [_id, owner]));
  return new Set(claims.filter(({ key, owner }) => owners.get(key) !== owner).map(({ key }) => key));
}

const releasesPerWrite = 100;

const releasing = new Batcher<{ key: string; owner: string }, undefined>(
  async (leases) => {
    // An owner has one lease, so that no key matches together with another lease's owner.
    const keys = leases.map(({ key }) => key);
    const owners = leases.map(({ owner }) => owner);
    const ours = { _id: trusted({ $in: keys }), owner: trusted({ $in: owners }) };
    await updateManyDirectly(LeaseModel, ours, [{ $set: { until: '$$NOW', owner: '' } }]);
    return [];
  },
  { most: releasesPerWrite, atOnce: 2 },
);

/** Returns the lease unless it was taken over. A later renewal then has no effect. Many leases share one command. */
export async function releaseLease(key: string, owner: string): Promise<void> {
  await releasing.add({ key, owner });
}

/** Ends every lease. For the database's only process: the leased work ended with the previous process. */
export async function endAllLeases(): Promise<void> {
  await LeaseModel.updateMany({ owner: trusted({ $ne: '' }) }, [{ $set: { until: '$$NOW', owner: '' } }], {
    updatePipeline: true,
  });
}

/** Deletes leases unused for an hour. @returns their number. */
export async function purgeLeases(now: Date): Promise<number> {
  const unusedSince = new Date(now.getTime() - KEPT_AFTER_USE_MS);
  const { deletedCount } = await LeaseModel.deleteMany({ until: trusted({ $lt: unusedSince }) });
  return deletedCount;
}
