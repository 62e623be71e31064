import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { Remembered } from '../../platforms/database/remembered.js';

/** A person's statement to a guild that a Roblox account is not theirs. No import in that guild gives it again. */
export const refusedImportFields = z.strictObject({ guildId: z.string(), gameUserId: z.string(), refusedAt: z.date() });
type RefusedImport = z.output<typeof refusedImportFields>;

const refused = new Remembered<Omit<RefusedImport, 'guildId'>>('refused_import');

const keyOf = (...ids: [guildId: string, chatUserId: string, gameUserId: string]): string => ids.join(' ');

/** Stops this guild's imports from giving this account to this person. Can be repeated. */
export async function refuseImports(guildId: string, chatUserId: string, gameUserId: string): Promise<void> {
  const $setOnInsert = { guildId, person: chatUserId, value: { gameUserId, refusedAt: clock.now() } };
  await refused.change(keyOf(guildId, chatUserId, gameUserId), { $setOnInsert }, { upsert: true });
}

/** The pairs among these that their people have refused in this guild, as `chatUserId gameUserId`. */
export async function findRefusedImports(
  guildId: string,
  pairs: readonly { chatUserId: string; gameUserId: string }[],
): Promise<ReadonlySet<string>> {
  const found = await refused.keysAmong(
    pairs.map(({ chatUserId, gameUserId }) => keyOf(guildId, chatUserId, gameUserId)),
  );
  return new Set([...found].map((key) => key.slice(guildId.length + 1)));
}

export async function refusedImportsOf(chatUserId: string): Promise<RefusedImport[]> {
  return (await refused.ofPerson(chatUserId)).map(({ guildId = '', value }) => ({ guildId, ...value }));
}

/** Forgets what a person has refused; with `gameUserId`, of that account alone. */
export async function eraseRefusedImports(chatUserId: string, gameUserId?: string): Promise<void> {
  await refused.forgetAll({ person: chatUserId, ...(gameUserId !== undefined && { 'value.gameUserId': gameUserId }) });
}
