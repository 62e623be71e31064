import mongoose, { type Model, trusted } from 'mongoose';
import { PatientWork } from '../../lib/patient-work.js';
import { modelsWith } from '../database/collections-with.js';
import { isEvent, type OutboxEntry, type OutboxEvent, type WithOutbox } from './outbox.js';

const documentsPerBatch = 500;

function modelsWithOutbox(): Model<WithOutbox>[] {
  return Object.values(mongoose.models).filter(({ schema }) => schema.path('outbox') !== undefined);
}

const isFilled = { 'outbox.createdAt': trusted({ $exists: true }) };

/** The relay's targets. Each must ignore items it already has, and throw if it can't store an item. */
export interface OutboxKeepers {
  deliverEvents(events: OutboxEvent[]): Promise<void>;
  keepEntries(entries: OutboxEntry[]): Promise<void>;
}

/**
 * Relays the events and log entries waiting in any document, oldest first. Then it takes exactly those out, and deletes
 * removed documents without others. After a crash in between, they are relayed again; several processes may relay at the
 * same time. A document that the keepers reject is left for later, without loss.
 */
export async function relayOutboxes(
  keepers: OutboxKeepers,
  signal: AbortSignal,
  models: readonly Model<WithOutbox>[] = modelsWithOutbox(),
): Promise<void> {
  for (const model of await modelsWith(models, isFilled)) {
    let found = documentsPerBatch;
    while (found === documentsPerBatch && !signal.aborted) found = await relayBatch(model, keepers);
  }
}

type Filled = Required<Pick<WithOutbox, 'outbox'>> & { _id: unknown };

/** After this many failures without a success, the rest is not tried. */
const mostFailing = 3;
const relaying = new PatientWork('outbox');

async function relayBatch(model: Model<WithOutbox>, keepers: OutboxKeepers): Promise<number> {
  const documents = await model
    .find(isFilled, { outbox: 1 })
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
    // One document may be the cause. If the first few all fail, the cause is the keepers or the database; the next run
    // then begins with others.
    let done = 0;
    const byFailures = ready.sort((a, b) => relaying.failuresOf(keyOf(a)) - relaying.failuresOf(keyOf(b)));
    for (const [tried, one] of byFailures.entries()) {
      if (done === 0 && tried === mostFailing) break;
      if (await relaying.on(keyOf(one), () => relayThese(model, [one], keepers))) done += 1;
    }
    if (done > 0) return documents.length;
    // No other document waits for these, so they are retried without a pause.
    for (const one of ready) relaying.tryAtNextPoll(keyOf(one));
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
  const entries = items.filter((item): item is OutboxEntry => !isEvent(item) && item.entry !== undefined);
  if (events.length > 0) await deliverEvents(events);
  if (entries.length > 0) await keepEntries(entries);
  const among = { _id: trusted({ $in: documents.map(({ _id }) => _id) }) };
  const relayed = items.map(({ id }) => id);
  // A removed document is never left empty: no relay would find it again. Past Mongoose, whose hook spares filled ones.
  const relayedWhole = { outbox: { $not: { $elemMatch: { id: { $nin: relayed } } } } };
  const ids = documents.map(({ _id }) => _id) as never[];
  await model.collection.deleteMany({ _id: { $in: ids }, removedAt: { $exists: true }, ...relayedWhole });
  const living = { ...among, removedAt: trusted({ $exists: false }) };
  await model.updateMany(living, { $pull: { outbox: { id: trusted({ $in: relayed }) } } });
}
