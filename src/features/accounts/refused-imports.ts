import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { Remembered } from '../../platforms/database/remembered.js';

/** A person's statement that a Roblox account is not theirs. No import gives it to them again. */
export const refusedImportFields = z.strictObject({ gameUserId: z.string(), refusedAt: z.date() });
type RefusedImport = z.output<typeof refusedImportFields>;

const refused = new Remembered<RefusedImport>('refused_import');

const keyOf = (chatUserId: string, gameUserId: string): string => `${chatUserId} ${gameUserId}`;

/** Stops imports from giving this account to this person. Can be repeated. */
export async function refuseImports(chatUserId: string, gameUserId: string): Promise<void> {
  const $setOnInsert = { person: chatUserId, value: { gameUserId, refusedAt: clock.now() } };
  await refused.change(keyOf(chatUserId, gameUserId), { $setOnInsert }, { upsert: true });
}

/** The refused ones of these pairs, as `chatUserId gameUserId`. */
export async function findRefusedImports(
  pairs: readonly { chatUserId: string; gameUserId: string }[],
): Promise<ReadonlySet<string>> {
  return refused.keysAmong(pairs.map(({ chatUserId, gameUserId }) => keyOf(chatUserId, gameUserId)));
}

export async function refusedImportsOf(chatUserId: string): Promise<RefusedImport[]> {
  return (await refused.ofPerson(chatUserId)).map(({ value }) => value);
}

export async function eraseRefusedImports(chatUserId: string): Promise<void> {
  await refused.forgetAll({ person: chatUserId });
}
