import mongoose from 'mongoose';

/**
 * Makes the one account that each person has proved by data version 12 their main account. A killed run is repeated.
 * Further places (`@2` to `@5`) are younger, and their accounts become main ones by their person alone.
 */
export async function nameMainAccounts(): Promise<void> {
  const accounts = mongoose.connection.collection<{ _id: string }>('accounts');
  const unnamed = { gameUserId: { $type: 'string' }, guildId: { $exists: false }, mainSince: { $exists: false } };
  await accounts.updateMany({ _id: { $not: /@/ }, ...unnamed }, [{ $set: { mainSince: '$linkedAt' } }]);
}
