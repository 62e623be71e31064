import { expect } from 'chai';
import { connectTestDatabase } from '../support/test-database.js';
import { Playhouse } from './play.js';
import { ensemblesOf, tellScript } from './script.js';

/** Always the same scripts; `npm run test:model` plays any others. */
const [seed, count, together] = [2026, 1, 20];

describe('The state after whatever happened', () => {
  let database: Awaited<ReturnType<typeof connectTestDatabase>>;
  let house: Playhouse;
  before(async () => {
    database = await connectTestDatabase();
    house = new Playhouse(database.uri);
  });
  after(async () => {
    await house.close();
    await database.close();
  });

  for (const [index, scripts] of ensemblesOf(seed, count, together).entries()) {
    it(`Everyone has the oracle’s roles (${together} scripts of seed ${seed} at the same time, number ${index})`, async () => {
      const problems = await house.playTogether(scripts);
      const results = scripts.map((script, at) => ({ problems: problems[at] ?? [], script: tellScript(script) }));
      expect(results.filter((each) => each.problems.length > 0)).to.deep.equal([]);
    });
  }
});
