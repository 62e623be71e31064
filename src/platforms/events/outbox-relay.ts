import mongoose, { type Model, trusted } from 'mongoose';
import { PatientWork } from '../../lib/patient-work.js';
import { isEvent, type OutboxEntry, type OutboxEvent, type WithOutbox } from './outbox.js';

/** How many documents are emptied at once. */
const documentsPerBatch = 500;

/** All collections whose documents have an outbox. */
function modelsWithOutbox(): Model<WithOutbox>[] {
  return Object.values(mongoose.models).filter(({ schema }) => schema.path('outbox') !== undefined);
}

/** Matches what is left of removed documents. */
const isRemoved = { removedAt: trusted({ $exists: true }) };

/** Where the relay hands what it finds. Each must ignore what it has already had, and throw when it can't keep it. */
export interface OutboxKeepers {
  deliverEvents(events: OutboxEvent[]): Promise<void>;
  keepEntries(entries: OutboxEntry[]): Promise<void>;
}

/**
 * Hands on the events and log entries that wait in any document, oldest first, and then removes exactly those from their
 * documents, and the documents that were removed. After a crash in between, the same are handed on again. That also lets
 * several processes relay at once. A document that the keepers can't take is left for later; nothing of it is lost.
 */
export async function relayOutboxes(
  keepers: OutboxKeepers,
  signal: AbortSignal,
  models: readonly Model<WithOutbox>[] = modelsWithOutbox(),
): Promise<void> {
  for (const model of models) {
    let found = documentsPerBatch;
    while (found === documentsPerBatch && !signal.aborted) found = await relayBatch(model, keepers);
  }
}

type Filled = Required<Pick<WithOutbox, 'outbox'>> & { _id: unknown };

/** After this many documents that failed, with none that did not, the rest is not tried. */
const mostFailing = 3;
const relaying = new PatientWork('outbox');

async function relayBatch(model: Model<WithOutbox>, keepers: OutboxKeepers): Promise<number> {
  const documents = await model
    .find({ 'outbox.createdAt': trusted({ $exists: true }) }, { outbox: 1 })
    .sort({ 'outbox.createdAt': 1 })
    .limit(documentsPerBatch)
    .lean<Filled[]>();
  const keyOf = ({ _id }: Filled): string => `${model.collection.name} ${_id}`;
  const ready = documents.filter((each) => !relaying.rests(keyOf(each)));
  if (ready.length === 0) return 0;
  try {
    await relayThese(model, ready, keepers);
    for (const one of ready) relaying.forget(keyOf(one));
  } catch (error) {
    // One of them may be what fails. Where the first few all do, it is the keepers or the database; the next look then
    // begins with others.
    let done = 0;
    const byFailures = ready.sort((a, b) => relaying.failuresOf(keyOf(a)) - relaying.failuresOf(keyOf(b)));
    for (const [tried, one] of byFailures.entries()) {
      if (done === 0 && tried === mostFailing) break;
      if (await relaying.on(keyOf(one), () => relayThese(model, [one], keepers))) done += 1;
    }
    if (done > 0) return documents.length;
    // No other document is held up by these, so that they need not rest.
    for (const one of ready) relaying.tryAtNextLook(keyOf(one));
    throw error;
  }
  return documents.length;
}

async function relayThese(
  model: Model<WithOutbox>,
  documents: readonly Filled[],
  { deliverEvents, keepEntries }: OutboxKeepers,
): Promise<void> {
  const items = documents.flatMap(({ outbox }) => outbox);
  const events = items.filter(isEvent);
  const entries = items.filter((item): item is OutboxEntry => !isEvent(item));
  if (events.length > 0) await deliverEvents(events);
  if (entries.length > 0) await keepEntries(entries);
  const among = { _id: trusted({ $in: documents.map(({ _id }) => _id) }) };
  const relayed = items.map(({ id }) => id);
  await model.updateMany(among, { $pull: { outbox: { id: trusted({ $in: relayed }) } } });
  // Also those that were removed since they were read, but none that came back.
  await model.deleteMany({ ...among, ...isRemoved }).hint({ _id: 1 });
}

/**
 * Deletes removed documents that were emptied without being deleted: by a process that was killed in between. At each start
 * and daily, as no look at what is still to be told comes to them.
 */
export async function purgeRemoved(models: readonly Model<WithOutbox>[] = modelsWithOutbox()): Promise<void> {
  for (const model of models) await model.deleteMany(isRemoved);
}
