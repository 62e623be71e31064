import { model } from 'mongoose';
import { z } from 'zod';
import { newPseudonym } from '../../core/audit/audit-anonymity.js';
import { keepEntries, type NewEntry } from '../../core/audit/audit-service.js';
import { clock } from '../../lib/clock.js';
import { schemaOf } from '../../platforms/database/schema-of.js';

/** A person who is to be erased, from their wish until nothing of them is left: then this is removed too. */
const erasureFields = z.strictObject({
  /** The chatUserId. */
  _id: z.string(),
  /** Their name on Discord, for log entries about the erasure until those are made anonymous. */
  username: z.string(),
  /** What the person did after this is a new beginning, and stays. */
  requestedAt: z.date(),
  /** Replaces them in what others keep. */
  pseudonym: z.string(),
  /** The entry that tells that they are erased, once they are: a repetition writes the same. */
  outcome: z.custom<NewEntry>().exactOptional(),
});
export type Erasure = z.output<typeof erasureFields>;

const schema = schemaOf<Erasure>('erasures', erasureFields);
// The job erasures: all of them, the oldest first.
schema.index({ requestedAt: 1 });

const Erasures = model<Erasure>('Erasure', schema);

/** Stores the request. One that is already open then covers everything up to now. */
export async function storeErasure(
  chatUserId: string,
  username: string,
  requestedAt: Date = clock.now(),
): Promise<Erasure> {
  const wish = {
    $set: { username },
    $max: { requestedAt },
    $setOnInsert: { pseudonym: newPseudonym() },
    $unset: { outcome: 1 as const },
  };
  return Erasures.findOneAndUpdate({ _id: chatUserId }, wish, { upsert: true, returnDocument: 'after' })
    .orFail()
    .lean<Erasure>()
    .exec();
}

export function openErasures(): Promise<Erasure[]> {
  return Erasures.find().sort({ requestedAt: 1 }).lean<Erasure[]>().exec();
}

/** A person's open erasure, or null. */
export function findErasure(chatUserId: string): Promise<Erasure | null> {
  return Erasures.findById(chatUserId).lean<Erasure | null>().exec();
}

/**
 * Ends the erasure of a person, and writes the entry into the log before it is forgotten: once, however often a killed
 * process left this half done. A request made since then stays.
 */
export async function endErasure({ _id, requestedAt, outcome }: Erasure, entry: NewEntry): Promise<void> {
  const asRead = { _id, requestedAt };
  if (outcome === undefined) await Erasures.updateOne(asRead, { $set: { outcome: entry } });
  await keepEntries([outcome ?? entry]);
  await Erasures.deleteOne(asRead);
}

export function countErasures(): Promise<number> {
  return Erasures.countDocuments().exec();
}
