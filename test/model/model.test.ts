import { expect } from 'chai';
import { world } from '../support/world.js';
import { Playhouse } from './play.js';
import { scriptsOf, stepsAScript, tellScript } from './script.js';

/** As many as take about 30 s; `npm run test:model` plays 5,000 of a new seed. */
const count = 20;
const seed = 11;

describe('the model', function () {
  this.timeout(600_000);
  let house: Playhouse;
  before(async () => {
    house = new Playhouse((await world()).database.uri);
  });
  after(() => house.close());

  it(`has everybody in step after each of ${count} scripts of ${stepsAScript} steps (seed ${seed})`, async () => {
    for (const [index, script] of scriptsOf(seed, count).entries()) {
      expect(await house.play(script), `script ${index} of seed ${seed}\n${tellScript(script)}`).to.deep.equal([]);
    }
  });
});
