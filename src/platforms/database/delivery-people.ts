import mongoose from 'mongoose';

interface StoredDelivery {
  _id: string;
  kind: string;
  body: string;
  chatUserId?: string;
}

const deliveriesPerStep = 500;

/**
 * Adds the event's person to each stored delivery. Deliveries in data version 1 may lack it, and an erasure would miss
 * them.
 */
export async function noteDeliveryPeople(): Promise<void> {
  const deliveries = mongoose.connection.collection<StoredDelivery>('deliveries');
  for (let after = ''; ; ) {
    const some = await deliveries
      .find({ _id: { $gt: after } }, { projection: { kind: 1, body: 1, chatUserId: 1 } })
      .sort({ _id: 1 })
      .limit(deliveriesPerStep)
      .toArray();
    const writes = some.flatMap(({ _id, kind, body, chatUserId }) => {
      const person = kind === 'event' && chatUserId === undefined ? personIn(body) : undefined;
      return person === undefined ? [] : { updateOne: { filter: { _id }, update: { $set: { chatUserId: person } } } };
    });
    if (writes.length > 0) await deliveries.bulkWrite(writes, { ordered: false });
    after = some.at(-1)?._id ?? '';
    if (some.length < deliveriesPerStep) return;
  }
}

/** The person that an event is about, from the bytes to be sent. */
function personIn(body: string): string | undefined {
  try {
    const { data }: { data?: { chatUserId?: unknown } } = JSON.parse(body);
    return typeof data?.chatUserId === 'string' ? data.chatUserId : undefined;
  } catch {
    return undefined;
  }
}
