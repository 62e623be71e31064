import mongoose from 'mongoose';

interface FormerCount {
  guildId: string;
  minute: Date;
  people: number;
}

interface StoredCount {
  _id: string;
}

/** Stores a guild's removals in the last hour as one document instead of one for each minute. */
export async function moveRemovals(): Promise<void> {
  const collection = mongoose.connection.collection<FormerCount>('removals');
  const counts = mongoose.connection.collection<StoredCount>('removals');
  for await (const { _id, guildId, minute: at, people } of collection.find({ minute: { $exists: true } })) {
    const first = { $setOnInsert: { guildId, minutes: [], isGranted: true, latest: at } };
    await counts.updateOne({ _id: guildId }, first, { upsert: true });
    const isNew = { _id: guildId, 'minutes.at': { $ne: at } };
    await counts.updateOne(isNew, { $push: { minutes: { at, people } } as object, $max: { latest: at } as object });
    await collection.deleteOne({ _id });
  }
}
