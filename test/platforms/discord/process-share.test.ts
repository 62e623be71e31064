import { expect } from 'chai';
import { config, type ServiceConfig, useConfig } from '../../../src/config/config.js';
import { clock } from '../../../src/lib/clock.js';
import { isForThisProcess, ownShareEveryMs, shardOf, sharesBot } from '../../../src/platforms/discord/process-share.js';

const guildIds = [1n, 2n, 3n, 4n].map((serial) => String(serial << 22n));

// ENV-30
describe('The share of a process', () => {
  let usual: ServiceConfig;
  before(() => {
    usual = config();
  });
  afterEach(() => useConfig(usual));

  it('A guild’s work is that of the process with its shard, and of any process after it has waited for 15 s', () => {
    useConfig({ ...usual, shards: { first: 0, last: 1, total: 4 } });
    const waiting = (ms: number) => guildIds.map((id) => isForThisProcess(id, new Date(clock.epochMs() - ms)));
    expect(guildIds.map((id) => shardOf(id, 4))).to.deep.equal([1, 2, 3, 0]);
    expect(waiting(0)).to.deep.equal([true, false, false, true]);
    expect(waiting(14_000)).to.deep.equal([true, false, false, true]);
    expect(waiting(15_000)).to.deep.equal([true, true, true, true]);
    expect([sharesBot(), ownShareEveryMs]).to.deep.equal([true, 2_000]);
  });

  it('A process without SHARDS has every guild', () => {
    useConfig({ ...usual, shards: undefined });
    expect(guildIds.every((id) => isForThisProcess(id, clock.now()))).to.equal(true);
    expect(sharesBot()).to.equal(false);
  });
});
