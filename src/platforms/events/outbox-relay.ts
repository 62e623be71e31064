import mongoose, { type Model, trusted } from 'mongoose';
import type { OutboxEvent, WithOutbox } from './outbox.js';

/** How many documents are emptied at once. */
const documentsPerBatch = 500;

/** All collections whose documents have an outbox. */
function modelsWithOutbox(): Model<WithOutbox>[] {
  return Object.values(mongoose.models).filter(({ schema }) => schema.path('outbox') !== undefined);
}

/**
 * Hands on the events that wait in any document, oldest first, and then removes exactly those from their documents.
 * After a crash in between, the same events are handed on again: `deliver` must ignore an event it has already had.
 * That also lets several processes relay at once. Throws what `deliver` throws; the events then stay.
 */
export async function relayOutboxes(
  deliver: (events: OutboxEvent[]) => Promise<void>,
  signal: AbortSignal,
  models: readonly Model<WithOutbox>[] = modelsWithOutbox(),
): Promise<void> {
  for (const model of models) {
    let found = documentsPerBatch;
    while (found === documentsPerBatch && !signal.aborted) found = await relayBatch(model, deliver);
  }
}

async function relayBatch(model: Model<WithOutbox>, deliver: (events: OutboxEvent[]) => Promise<void>) {
  const documents = await model
    .find({ 'outbox.createdAt': trusted({ $exists: true }) }, { outbox: 1 })
    .sort({ 'outbox.createdAt': 1 })
    .limit(documentsPerBatch)
    .lean<{ _id: unknown; outbox: OutboxEvent[] }[]>();
  if (documents.length === 0) return 0;
  const events = documents.flatMap(({ outbox }) => outbox);
  await deliver(events);
  const relayed = events.map(({ id }) => id);
  await model.updateMany(
    { _id: trusted({ $in: documents.map(({ _id }) => _id) }) },
    { $pull: { outbox: { id: trusted({ $in: relayed }) } } },
  );
  return documents.length;
}
