import { expect } from 'chai';
import fc from 'fast-check';
import mongoose, { type Model, Schema, trusted } from 'mongoose';
import { clock } from '../../../src/lib/clock.js';
import { leftOutbox } from '../../../src/platforms/database/guild-model.js';
import {
  giveOutbox,
  newEvent,
  type OutboxEntry,
  type OutboxEvent,
  onEventStored,
  push,
  type WithOutbox,
} from '../../../src/platforms/events/outbox.js';
import { relayOutboxes } from '../../../src/platforms/events/outbox-relay.js';

interface Thing extends WithOutbox {
  _id: number;
  step: number;
}

const guildId = '100000000000000001';
const always = new AbortController().signal;
const entryOf = (id: string): OutboxEntry => ({ id, createdAt: new Date(), guildId, entry: { _id: id } });
const event = (): OutboxEvent => newEvent('guild.suspended', guildId, { reason: 'test', suspendedAt: 'then' });

let Things: Model<Thing>;
let models: Model<WithOutbox>[];
let handedOn: string[];
let kept: string[];

/** Works like a unique index: an event that was relayed before is not relayed again. */
const deliver = async (events: readonly OutboxEvent[]) => {
  for (const { id } of events) if (!handedOn.includes(id)) handedOn.push(id);
};

const keepEntries = async (entries: readonly OutboxEntry[]) => {
  for (const { id } of entries) if (!kept.includes(id)) kept.push(id);
};

const relay = (deliverEvents = deliver) => relayOutboxes({ deliverEvents, keepEntries }, always, models);

/** A fact in its document: the step and its event, in one write that can happen once. */
const step = async (_id: number, from: number): Promise<string[]> => {
  const told = event();
  const { matchedCount, upsertedCount } = await Things.updateOne(
    { _id, step: from },
    { $set: { step: from + 1 }, ...push(told) },
    { upsert: from === 0 },
  );
  return matchedCount + upsertedCount === 1 ? [told.id] : [];
};

const outboxes = async () => (await Things.find().lean<Thing[]>()).flatMap(({ outbox = [] }) => outbox);

/** Registers hooks: each test begins without documents. */
function useThings(): void {
  before(async () => {
    // In its own database, where the service's relay does not come by.
    const connection = mongoose.connection.useDb('outbox_relay');
    const schema = new Schema<Thing>({ _id: Number, step: Number }, { versionKey: false });
    giveOutbox(schema);
    Things = connection.model<Thing>('Thing', schema, 'things');
    models = Object.values(connection.models);
    await Things.createIndexes();
  });

  beforeEach(async () => {
    handedOn = [];
    kept = [];
    await Things.collection.deleteMany({});
  });

  after(() => mongoose.connection.useDb('outbox_relay').dropDatabase());
}

// HOOK-10
describe('The relay', () => {
  useThings();

  it('The outbox relay learns immediately of each stored event, and not of log entries', async () => {
    let times = 0;
    onEventStored(() => {
      times += 1;
    });
    const make = (...items: Parameters<typeof push>) =>
      Things.findOneAndUpdate({ _id: 1 }, { $inc: { step: 1 }, ...push(...items) }, { upsert: true });
    await make(entryOf('log_1'));
    expect(times).to.equal(0);
    await make(event(), entryOf('log_2'));
    await make(event());
    expect(times).to.equal(2);
  });

  it('The outbox relay hands on every event as it was stored, and then takes it out', async () => {
    const told = event();
    await Things.create({ _id: 1, step: 0, outbox: [told] });
    const got: OutboxEvent[] = [];
    await relay(async (events) => void got.push(...events));
    expect(got).to.deep.equal([told]);
    expect(await Things.findById(1).lean()).to.deep.equal({ _id: 1, step: 0, outbox: [] });
    await relay(async (events) => void got.push(...events));
    expect(got).to.have.length(1);
  });

  it('The outbox relay keeps events that it could not hand on, and those that came in the meantime', async () => {
    const first = await step(1, 0);
    const failure = await relay(async () => {
      throw new Error('not now');
    }).catch((error: Error) => error.message);
    expect(failure).to.equal('not now');
    expect((await outboxes()).map(({ id }) => id)).to.deep.equal(first);
    let second: string[] = [];
    await relay(async (events) => {
      second = await step(1, 1);
      await deliver(events);
    });
    expect(handedOn).to.deep.equal(first);
    expect((await outboxes()).map(({ id }) => id)).to.deep.equal(second);
  });

  it('The outbox relay hands on all other documents’ events when one document’s events can never be handed on', async () => {
    for (const id of [1, 2, 3, 4, 5, 6]) await step(id, 0);
    const stuck = new Set((await outboxes()).slice(0, 4).map(({ id }) => id));
    const deliverOthers = async (events: readonly OutboxEvent[]) => {
      if (events.some(({ id }) => stuck.has(id))) throw new Error('never');
      await deliver(events);
    };
    for (let look = 0; look < 3; look += 1) await relay(deliverOthers).catch(() => undefined);
    expect(handedOn).to.have.length(2);
    expect(await outboxes()).to.have.length(4);
    clock.advance(121_000);
    await relay();
    clock.restore();
    expect(handedOn).to.have.length(6);
  });

  it('The outbox relay hands everything on at its first poll after its keepers failed for long', async () => {
    for (const id of [1, 2, 3, 4, 5, 6]) await step(id, 0);
    const away = () => Promise.reject(new Error('away'));
    for (let look = 0; look < 5; look += 1) await relay(away).catch(() => undefined);
    expect(handedOn).to.have.length(0);
    await relay();
    expect(handedOn).to.have.length(6);
  });

  it('The outbox relay empties any number of documents, the oldest first, and stops when it is asked to', async () => {
    const many = Array.from({ length: 1_200 }, (_, _id) => ({ _id, step: 0, outbox: [event()] }));
    many.forEach(({ outbox: [told] }, index) => {
      if (told) told.createdAt = new Date(1_000_000 - index);
    });
    await Things.insertMany(many);
    const stopping = new AbortController();
    const sizes: number[] = [];
    const how = async (events: readonly OutboxEvent[]) => {
      sizes.push(events.length);
      if (sizes.length === 1) expect(events[0]).to.deep.equal(many.at(-1)?.outbox[0]);
      await deliver(events);
      if (sizes.length === 2) stopping.abort();
    };
    await relayOutboxes({ deliverEvents: how, keepEntries }, stopping.signal, models);
    expect(await outboxes()).to.have.length(200);
    await relay(how);
    expect(sizes).to.deep.equal([500, 500, 200]);
    expect(new Set(handedOn).size).to.equal(1_200);
    expect(await outboxes()).to.deep.equal([]);
  });

  it('The outbox relay hands on log entries apart from events, and takes both out', async () => {
    const [told, entry] = [event(), entryOf('log_1')];
    await Things.create({ _id: 1, step: 0 });
    await Things.updateOne({ _id: 1 }, push(told, entry));
    await relay();
    expect({ handedOn, kept }).to.deep.equal({ handedOn: [told.id], kept: ['log_1'] });
    expect(await outboxes()).to.deep.equal([]);
  });

  it('The outbox relay finds filled outboxes by an index that has nothing else in it', async () => {
    await Things.insertMany(
      Array.from({ length: 50 }, (_, _id) => ({ _id, step: 0, ...(_id < 25 && { outbox: [] }) })),
    );
    await step(7, 0);
    const query = Things.collection.find({ 'outbox.createdAt': { $exists: true } }).sort({ 'outbox.createdAt': 1 });
    const { totalDocsExamined, totalKeysExamined } = (await query.explain('executionStats')).executionStats;
    expect({ totalDocsExamined, totalKeysExamined }).to.deep.equal({ totalDocsExamined: 1, totalKeysExamined: 1 });
  });

  it('The outbox relay loses no event and relays none twice, with interruptions and several relays', async () => {
    const ids = fc.integer({ min: 0, max: 3 });
    const action = fc.oneof(
      fc.record({ kind: fc.constant('step' as const), id: ids }),
      fc.record({ kind: fc.constantFrom('relay', 'twice', 'killed before', 'killed after', 'meanwhile'), id: ids }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 12 }), async (actions) => {
        await Things.collection.deleteMany({});
        handedOn = [];
        const told: string[] = [];
        const steps = [0, 0, 0, 0];
        const take = async (id: number) => {
          const from = steps[id] ?? 0;
          // A repetition finds the fact true already, and emits nothing.
          const [once, again] = [await step(id, from), from === 0 ? [] : await step(id, from)];
          expect(again).to.deep.equal([]);
          told.push(...once);
          steps[id] = from + 1;
        };
        const killed = async () => {
          throw new Error('killed');
        };
        const run: Record<string, (id: number) => Promise<unknown>> = {
          step: take,
          relay: () => relay(),
          twice: () => Promise.all([relay(), relay()]),
          'killed before': () => relay(killed).catch(() => undefined),
          'killed after': () => relay(async (events) => deliver(events).then(killed)).catch(() => undefined),
          meanwhile: (id) => relay(async (events) => take(id).then(() => deliver(events))),
        };
        for (const { kind, id } of actions) await run[kind]?.(id);
        await relay();
        expect(handedOn).to.have.members(told);
        expect(await outboxes()).to.deep.equal([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('The relay of removed documents', () => {
  useThings();

  it('A removed document keeps only its outbox, and the relay deletes it once that is handed on', async () => {
    await Things.create({ _id: 1, step: 3, outbox: [event()] });
    await Things.updateOne({ _id: 1 }, leftOutbox(entryOf('log_1')), { updatePipeline: true });
    const { guildId: none, removedAt, ...left } = (await Things.findById(1).lean<Record<string, unknown>>()) ?? {};
    expect(Object.keys(left)).to.have.members(['_id', 'outbox']);
    const failing = async () => {
      throw new Error('killed');
    };
    await relay(failing).catch(() => undefined);
    expect(await Things.countDocuments()).to.equal(1);
    await relay();
    expect({ handedOn: handedOn.length, kept }).to.deep.equal({ handedOn: 1, kept: ['log_1'] });
    expect(await Things.countDocuments()).to.equal(0);
  });

  it('The outbox relay deletes a document that is removed while its outbox is handed on', async () => {
    await Things.create({ _id: 1, step: 3, outbox: [event()] });
    await relay(async () => void (await Things.updateOne({ _id: 1 }, leftOutbox(), { updatePipeline: true })));
    expect(await Things.countDocuments()).to.equal(0);
  });

  it('A document that is removed with an empty outbox tells nothing, and the next relay deletes it', async () => {
    await Things.insertMany([{ _id: 1, outbox: [] }, { _id: 2 }, { _id: 3 }]);
    await Things.updateMany({ _id: trusted({ $lt: 3 }) }, leftOutbox(), { updatePipeline: true });
    await relay();
    expect([await Things.distinct('_id'), handedOn, kept]).to.deep.equal([[3], [], []]);
  });

  it('A document that is removed after its deletion was tried keeps its items for the next relay', async () => {
    await Things.create({ _id: 1, step: 3, outbox: [event()] });
    const { collection } = Things;
    const deleteMany = collection.deleteMany.bind(collection);
    collection.deleteMany = async (...args: Parameters<typeof deleteMany>) => {
      const deleted = await deleteMany(...args);
      await Things.updateOne({ _id: 1 }, leftOutbox(), { updatePipeline: true });
      return deleted;
    };
    await relay().finally(() => Object.assign(collection, { deleteMany }));
    expect(await outboxes()).to.have.length(1);
    await relay();
    expect([await Things.countDocuments(), handedOn.length]).to.deep.equal([0, 1]);
  });

  it('A document with a filled outbox withstands every delete', async () => {
    await Things.insertMany([{ _id: 1, outbox: [event()] }, { _id: 2, outbox: [] }, { _id: 3 }]);
    await Things.deleteOne({ _id: 1 });
    await Things.findOneAndDelete({ _id: 1 });
    await Things.deleteMany({ step: trusted({ $exists: false }) });
    expect(await Things.distinct('_id')).to.deep.equal([1]);
  });

  it('The outbox relay leaves alone a document that was removed and came back', async () => {
    await Things.create({ _id: 1, step: 0, removedAt: new Date(), outbox: [entryOf('log_1')] });
    await relayOutboxes(
      {
        deliverEvents: deliver,
        keepEntries: async () => void (await Things.updateOne({ _id: 1 }, { $unset: { removedAt: 1 } })),
      },
      always,
      models,
    );
    expect(await Things.countDocuments()).to.equal(1);
  });
});
