import { expect } from 'chai';
import { trusted } from 'mongoose';
import { clock } from '../../../src/lib/clock.js';
import { noPlanFaults, watchPlans } from '../../support/query-plans.js';
import { connectTestDatabase } from '../../support/test-database.js';
import { fair, Items, named, plain, storeItems, workOff } from './pending-items.js';

const documents = 20_000;
const groups = 200;

describe('Pending work among 20,000 documents', () => {
  let database: Awaited<ReturnType<typeof connectTestDatabase>>;
  before(async () => {
    database = await connectTestDatabase();
    await Items.createIndexes();
    await Items.deleteMany({});
    await storeItems(documents, { groups });
  });
  const startedAt = new Date();
  beforeEach(() => clock.freeze(startedAt));
  after(async () => {
    clock.restore();
    await Items.deleteMany({});
    await database.close();
  });

  it('Claims, retries and completions have one plan each, and read one document', async () => {
    const plans = watchPlans();
    const first = (await plain.claimNext()) ?? expect.fail('Nothing is due.');
    await plain.retryLater(first, 1);
    await plain.complete((await plain.claimNext()) ?? expect.fail('Nothing is due.'), { $inc: { done: 1 } });
    await fair.completeNext({ $inc: { done: 1 } }, { except: ['group-003'] });
    await plain.claim({ _id: 'item-00100' });
    await named.claimNext();
    expect(await plans.faults()).to.deep.equal(noPlanFaults);
    expect(await plans.mostExamined({ collection: Items.collection.name, limit: 1 })).to.be.within(1, 2);
  });

  it('Fair work serves every group once before any a second time', async () => {
    const turns: string[] = [];
    for (let turn = 0; turn < 2 * groups; turn += 1) turns.push((await fair.claimNext())?.group ?? '');
    expect(new Set(turns.slice(0, groups)).size).to.equal(groups);
    expect(turns.slice(groups)).to.deep.equal(turns.slice(0, groups));
  });

  it('Many workers at the same time do each piece once', async () => {
    const open = { dueAt: trusted({ $lte: clock.now() }) };
    await Items.updateMany({}, { $set: { done: 0 } });
    const pieces = await Items.countDocuments(open);
    const done = await Promise.all(Array.from({ length: 16 }, workOff));
    expect(done.reduce((sum, some) => sum + some)).to.equal(pieces);
    expect([await Items.countDocuments({ done: 1 }), await Items.countDocuments(open)]).to.deep.equal([pieces, 0]);
  });
});
