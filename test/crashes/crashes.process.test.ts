import { expect } from 'chai';
import { connectTestDatabase } from '../support/test-database.js';
import { type CrashFlow, crashFlows } from './crash-flows.js';
import { CrashHouse } from './crash-house.js';
import { type CleanRun, playClean, playCrash } from './play-crash.js';
import { blowsAt } from './points.js';
import { compareTallies } from './tally.js';

describe('A kill before Discord’s answer to a role removal', () => {
  let database: Awaited<ReturnType<typeof connectTestDatabase>>;
  let house: CrashHouse;
  let flow: CrashFlow;
  let clean: CleanRun;
  before(async () => {
    database = await connectTestDatabase();
    house = await CrashHouse.open(database.uri, `crashes_${process.pid}`);
    flow = crashFlows.find(({ name }) => name === 'member sync') ?? expect.fail('There is no such flow.');
    clean = await playClean(house, flow);
  });
  after(async () => {
    await house.close();
    await database.close();
  });

  /** One place in one flow; `npm run test:crashes` kills at all places. */
  it('A service killed after Discord took a role away leaves everyone in step, and repeats no effect and no event', async () => {
    const writes = clean.points.filter(({ label }) => label.startsWith('Discord DELETE'));
    const blow = blowsAt(writes).find(({ side }) => side === 'after') ?? expect.fail('There is no such place.');
    expect(await playCrash(house, flow, blow, clean)).to.deep.equal({ struck: true, problems: [] });
  });

  it('The comparison of tallies notices something that is done twice or not at all', () => {
    const twice = new Map([...clean.tally].map(([line, times]) => [line, times * 2]));
    expect(compareTallies(twice, clean.tally, () => false)).to.have.length(clean.tally.size);
    expect(compareTallies(new Map(), clean.tally, () => true)).to.have.length(clean.tally.size);
    expect(clean.tally.size).to.be.greaterThan(2);
  });
});
