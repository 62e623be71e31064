import { expect } from 'chai';
import { clock } from '../../../src/lib/clock.js';
import { hourMs, secondMs } from '../../../src/lib/time.js';
import { mendDueTimes } from '../../../src/platforms/database/due-times.js';
import { connectTestDatabase } from '../../support/test-database.js';
import { backoff, claimMs, fair, Items, named, plain, storeItems } from './pending-items.js';

describe('Pending work', () => {
  let database: Awaited<ReturnType<typeof connectTestDatabase>>;
  before(async () => {
    database = await connectTestDatabase();
    await Items.createIndexes();
  });
  beforeEach(async () => {
    await Items.deleteMany({});
    clock.freeze(new Date());
  });
  afterEach(() => clock.restore());
  after(async () => {
    await Items.deleteMany({});
    await database.close();
  });

  const claim = async () => (await plain.claimNext()) ?? expect.fail('Nothing is due.');
  const stored = async (_id: string) => (await Items.findById(_id).lean()) ?? expect.fail('It is gone.');

  it('Claims give each piece of work to one caller, the longest due first', async () => {
    const ids = await storeItems(20);
    expect((await claim())._id).to.equal(ids[0]);
    const claimed = await Promise.all(Array.from({ length: 30 }, () => plain.claimNext()));
    expect(claimed.flatMap((item) => item?._id ?? []).sort()).to.deep.equal(ids.slice(1));
  });

  it('Work is enqueued for now or for later, and found from then on', async () => {
    await Items.create({ _id: 'one', group: 'a' });
    expect(await plain.claimNext()).to.equal(null);
    expect(await plain.enqueue({ _id: 'one' }, { afterMs: secondMs, change: { $inc: { done: 5 } } })).to.equal(1);
    expect(await plain.enqueue({ _id: 'nobody' })).to.equal(0);
    expect(await plain.claimNext()).to.equal(null);
    clock.advance(secondMs);
    expect(await claim()).to.include({ _id: 'one', done: 5 });
  });

  it('The work of a killed holder is due again when its claim ends, and not before', async () => {
    await storeItems(1);
    await claim();
    clock.advance(claimMs - 1);
    expect(await plain.claimNext()).to.equal(null);
    clock.advance(1);
    expect(await claim()).to.include({ done: 0 });
  });

  it('Work is completed by the holder of its claim alone, in one write with the result', async () => {
    await storeItems(1);
    const late = await claim();
    clock.advance(claimMs);
    const holder = await claim();
    expect(await plain.complete(late, { $inc: { done: 1 } })).to.equal(false);
    expect(await plain.complete(holder, { $inc: { done: 1 } })).to.equal(true);
    expect(await plain.complete(holder, { $inc: { done: 1 } })).to.equal(false);
    expect(await stored(holder._id)).to.not.have.property('dueAt');
    expect(await stored(holder._id)).to.include({ done: 1 });
  });

  it('Work that is enqueued while an older claim is held stays pending', async () => {
    await storeItems(1);
    const first = await claim();
    clock.advance(1);
    await plain.enqueue({ _id: first._id });
    expect(await plain.complete(first)).to.equal(false);
    expect(await plain.retryLater(first, 1)).to.equal(false);
    expect(await plain.complete(await claim())).to.equal(true);
  });

  it('Work with an id of its own is completed by the process that did it, and never in place of newer work', async () => {
    const enqueue = (id: string) =>
      Items.updateOne({ _id: 'one', group: 'a' }, { $set: { message: { id, dueAt: clock.now() } } }, { upsert: true });
    const next = async () => (await named.claimNext()) ?? expect.fail('Nothing is due.');
    await enqueue('first');
    const slow = await next();
    clock.advance(claimMs);
    await next();
    expect(await named.complete(slow)).to.equal(true);
    expect(await stored('one')).to.not.have.property('message');
    await enqueue('second');
    const older = await next();
    await enqueue('third');
    expect(await named.complete(older)).to.equal(false);
    expect((await stored('one')).message).to.include({ id: 'third' });
  });

  it('Failed work is due again after its wait, which grows with the failures', async () => {
    await storeItems(1);
    for (const [failures, waitMs] of [
      [1, backoff.firstMs],
      [2, 2 * backoff.firstMs],
      [30, backoff.longestMs],
    ] as const) {
      expect(await plain.retryLater(await claim(), failures, { $set: { failures } })).to.equal(true);
      clock.advance(waitMs - 1);
      expect(await plain.claimNext()).to.equal(null);
      clock.advance(1);
    }
    expect(await claim()).to.include({ failures: 30 });
  });

  it('Failed work without waits of its own is due again as after a kill', async () => {
    await storeItems(1);
    await fair.retryLater((await fair.claimNext()) ?? expect.fail(), 7);
    clock.advance(claimMs - 1);
    expect(await fair.claimNext()).to.equal(null);
    clock.advance(1);
    expect(await fair.claimNext()).to.not.equal(null);
  });

  it('Fair work gives each group its turn, continues behind the last one, and leaves out those that are busy', async () => {
    expect(await fair.claimNext()).to.equal(null);
    await storeItems(12, { groups: 3 });
    const next = async (except: string[] = []) => (await fair.claimNext({ except }))?.group.at(-1);
    const turns = [await next(), await next(), await next(), await next()];
    expect(turns).to.deep.equal(['0', '1', '2', '0']);
    expect(await next(['group-001'])).to.equal('2');
    expect(await next(['group-000', 'group-002'])).to.equal('1');
    expect(await next(['group-000', 'group-001', 'group-002'])).to.equal(undefined);
    const rest: unknown[] = [];
    for (let turn = 0; turn < 7; turn += 1) rest.push(await next());
    expect(rest).to.deep.equal(['0', '1', '2', '0', '1', '2', undefined]);
  });

  it('Work that is complete with its write is removed by the very claim', async () => {
    await storeItems(2);
    const done = await plain.completeNext({ $inc: { done: 1 } }, { where: { _id: 'item-00001' } });
    expect(done).to.include({ _id: 'item-00001', done: 1 }).and.not.have.property('dueAt');
    expect((await claim())._id).to.equal('item-00000');
    expect(await plain.completeNext({})).to.equal(null);
  });

  it('The work of one document is claimed when it is due, or soon is', async () => {
    await storeItems(1);
    await plain.enqueue({}, { afterMs: secondMs });
    expect(await plain.claim({ _id: 'item-00000' })).to.equal(null);
    expect(await plain.claim({ _id: 'item-00000' }, secondMs)).to.include({ _id: 'item-00000' });
    expect(await plain.claim({ _id: 'item-00000' }, secondMs)).to.equal(null);
  });

  // SYNC-41
  it('Work that lies further ahead than any wait, from before the clock was set back, is due', async () => {
    await storeItems(1);
    await plain.enqueue({}, { afterMs: 2 * hourMs });
    await mendDueTimes();
    expect(await plain.claimNext()).to.include({ _id: 'item-00000' });
  });
});
