import { expect } from 'chai';
import { connectTestDatabase } from '../support/test-database.js';
import { Playhouse } from './play.js';
import { scriptsOf, tellScript } from './script.js';

/** Always the same scripts; `npm run test:model` plays any others. */
const [seed, count] = [2026, 5];

describe('after whatever happened', () => {
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

  for (const [index, script] of scriptsOf(seed, count).entries()) {
    it(`everybody has what the oracle says (script ${index} of seed ${seed})`, async function () {
      this.timeout(300_000);
      expect(await house.play(script), tellScript(script)).to.deep.equal([]);
    });
  }
});
