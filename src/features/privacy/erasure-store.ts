import { model } from 'mongoose';
import { z } from 'zod';
import type { HeldAccount } from '../../core/actors/actor.js';
import { newPseudonym } from '../../core/audit/audit-anonymity.js';
import { keepEntries, type NewEntry } from '../../core/audit/audit-service.js';
import { clock } from '../../lib/clock.js';
import { schemaOf } from '../../platforms/database/schema-of.js';

/**
 * A person under erasure, by the chatUserId, or one of their accounts. The document stays from the request until no
 * other data about them is left.
 */
const erasureFields = z.strictObject({
  _id: z.string(),
  /** For one account alone, by Roblox's request: its person keeps everything else. */
  of: z.strictObject({ chatUserId: z.string(), gameUserId: z.string() }).exactOptional(),
  /** The guilds that have used that account. */
  guildIds: z.array(z.string()).exactOptional(),
  /** The person's accounts at the request. Data naming them goes too, after their end. */
  accounts: z.array(z.strictObject({ gameUserId: z.string(), guildId: z.string().exactOptional() })).exactOptional(),
  /** Their name on Discord, for log entries about the erasure until those are made anonymous. */
  username: z.string(),
  /** Anything the person did after this stays. */
  requestedAt: z.date(),
  /** Replaces the person in data about others. */
  pseudonym: z.string(),
  /** The finished erasure's log entry, stored so that a repetition writes the same one. */
  outcome: z.custom<NewEntry>().exactOptional(),
});
export type Erasure = z.output<typeof erasureFields>;

const schema = schemaOf<Erasure>('erasures', erasureFields);
// All open erasures for the job, the oldest first.
schema.index({ requestedAt: 1 });

const Erasures = model<Erasure>('Erasure', schema);

/** Stores the request. An open one then covers everything up to now. */
export async function storeErasure(
  chatUserId: string,
  username: string,
  requestedAt: Date = clock.now(),
  accounts: readonly HeldAccount[] = [],
): Promise<Erasure> {
  const held = accounts.map(({ gameUserId, guildId }) => ({ gameUserId, ...(guildId !== undefined && { guildId }) }));
  const wish = {
    $set: { username },
    $max: { requestedAt },
    $addToSet: { accounts: { $each: held } },
    $setOnInsert: { pseudonym: newPseudonym() },
    $unset: { outcome: 1 as const },
  };
  return Erasures.findOneAndUpdate({ _id: chatUserId }, wish, { upsert: true, returnDocument: 'after' })
    .orFail()
    .lean<Erasure>()
    .exec();
}

/** Stores the request to erase a person's one account, which `guildIds` have used. */
export async function storeGameErasure(
  of: NonNullable<Erasure['of']>,
  requestedAt: Date,
  guildIds: readonly string[],
): Promise<void> {
  const $setOnInsert = { of, username: of.chatUserId, pseudonym: newPseudonym() };
  const _id = `${of.chatUserId}@${of.gameUserId}`;
  const $addToSet = { guildIds: { $each: [...guildIds] } };
  const wish = { $max: { requestedAt }, $addToSet, $setOnInsert, $unset: { outcome: 1 as const } };
  await Erasures.updateOne({ _id }, wish, { upsert: true });
}

export function openErasures(): Promise<Erasure[]> {
  return Erasures.find().sort({ requestedAt: 1 }).lean<Erasure[]>().exec();
}

export function findErasure(chatUserId: string): Promise<Erasure | null> {
  return Erasures.findById(chatUserId).lean<Erasure | null>().exec();
}

/** Ends a person's erasure. Writes its log entry exactly once, even after a crash. A request made since then stays. */
export async function endErasure({ _id, requestedAt, outcome }: Erasure, entry: NewEntry): Promise<void> {
  const asRead = { _id, requestedAt };
  if (outcome === undefined) await Erasures.updateOne(asRead, { $set: { outcome: entry } });
  await keepEntries([outcome ?? entry]);
  await Erasures.deleteOne(asRead);
}

export function countErasures(): Promise<number> {
  return Erasures.countDocuments().exec();
}
