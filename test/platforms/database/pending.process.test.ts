import { expect } from 'chai';
import { clock } from '../../../src/lib/clock.js';
import { startChild } from '../../support/child-process.js';
import { connectTestDatabase } from '../../support/test-database.js';
import { claimMs, Items, plain, storeItems, workOff } from './pending-items.js';

describe('Pending work of several processes', () => {
  let database: Awaited<ReturnType<typeof connectTestDatabase>>;
  before(async () => {
    database = await connectTestDatabase();
    await Items.createIndexes();
  });
  beforeEach(() => Items.deleteMany({}));
  afterEach(() => clock.restore());
  after(() => database.close());

  const start = async (task: 'work' | 'hold') => {
    const child = startChild('platforms/database/pending-child.js', database.uri, database.dbName, task);
    await child.report('ready');
    return child;
  };

  it('Two processes share the work, and each piece is done once', async () => {
    const child = await start('work');
    await storeItems(1_000);
    child.send('go');
    const [here, there] = await Promise.all([workOff(), child.report('done')]);
    expect(here + Number(there)).to.equal(1_000);
    expect(await Items.countDocuments({ done: 1 })).to.equal(1_000);
    expect([here > 0, Number(there) > 0]).to.deep.equal([true, true]);
  });

  it('The work of a killed process is done by another once its claim has ended, and other work before', async () => {
    const child = await start('hold');
    const [first, second] = await storeItems(2);
    child.send('go');
    expect(await child.report('claimed')).to.equal(first);
    await child.kill();
    expect(await workOff()).to.equal(1);
    expect(await Items.findById(second).lean()).to.include({ done: 1 });
    clock.advance(claimMs);
    expect((await plain.claimNext())?._id).to.equal(first);
  });
});
