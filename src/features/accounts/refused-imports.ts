import { model, trusted } from 'mongoose';
import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { schemaOf } from '../../platforms/database/schema-of.js';

/** A person's statement that a Roblox account is not theirs. No import gives it to them again. */
export const refusedImportFields = z.strictObject({
  /** `chatUserId gameUserId`. */
  _id: z.string(),
  chatUserId: z.string(),
  gameUserId: z.string(),
  refusedAt: z.date(),
});
type RefusedImport = z.output<typeof refusedImportFields>;

const schema = schemaOf<RefusedImport>('refused_imports', refusedImportFields);
// All refusals of a person, for the export and erasure of their data.
schema.index({ chatUserId: 1 });
const RefusedImports = model<RefusedImport>('RefusedImport', schema);

const idOf = (chatUserId: string, gameUserId: string): string => `${chatUserId} ${gameUserId}`;

/** Stops imports from giving this account to this person. Can be repeated. */
export async function refuseImports(chatUserId: string, gameUserId: string): Promise<void> {
  const $setOnInsert = { chatUserId, gameUserId, refusedAt: clock.now() };
  await RefusedImports.updateOne({ _id: idOf(chatUserId, gameUserId) }, { $setOnInsert }, { upsert: true });
}

/** The refused ones of these pairs, as `chatUserId gameUserId`. */
export async function findRefusedImports(
  pairs: readonly { chatUserId: string; gameUserId: string }[],
): Promise<ReadonlySet<string>> {
  const ids = pairs.map(({ chatUserId, gameUserId }) => idOf(chatUserId, gameUserId));
  const found = await RefusedImports.find({ _id: trusted({ $in: ids }) }, { _id: 1 }).lean<{ _id: string }[]>();
  return new Set(found.map(({ _id }) => _id));
}

export function refusedImportsOf(chatUserId: string): Promise<Omit<RefusedImport, '_id'>[]> {
  return RefusedImports.find({ chatUserId }, { _id: 0 }).lean<Omit<RefusedImport, '_id'>[]>();
}

export async function eraseRefusedImports(chatUserId: string): Promise<void> {
  await RefusedImports.deleteMany({ chatUserId });
}
