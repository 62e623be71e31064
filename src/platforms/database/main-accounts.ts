import mongoose from 'mongoose';

/** Makes the one account that each person of data version 12 has proved their main account. A killed run is repeated. */
export async function nameMainAccounts(): Promise<void> {
  const proofs = { gameUserId: { $type: 'string' }, guildId: { $exists: false }, mainSince: { $exists: false } };
  await mongoose.connection.collection('accounts').updateMany(proofs, [{ $set: { mainSince: '$linkedAt' } }]);
}
