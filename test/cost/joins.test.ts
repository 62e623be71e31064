import { expect } from 'chai';
import { buildGroupGuild, type GroupGuild, mapTo, rankFrom } from '../features/sync/sync-setup.js';
import { withPromptSyncs } from '../support/background.js';
import { type World, world } from '../support/world.js';
import { buildCrowd, joinAtOnce } from './join-crowd.js';

/** Discord lets ten members be edited in ten seconds. */
const crowd = { unknown: 60, verified: 20 };

describe('The cost of many simultaneous joins', () => {
  withPromptSyncs();
  let roblox: World['roblox'];
  let guild: GroupGuild;

  before(async () => {
    ({ roblox } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
  });

  it('An unknown newcomer costs at most 8 commands, no read from Discord, and one sync', async () => {
    const cost = await joinAtOnce(guild, await buildCrowd(guild, crowd.unknown, { verified: false }));
    expect(cost.memberReads).to.equal(0);
    expect(cost.perJoin, JSON.stringify(cost.commands)).to.be.at.most(8);
    expect(cost.syncs).to.deep.equal(cost.syncs.map(() => 1));
  });

  // SYNC-39
  it('A verified newcomer costs about 12 commands, and their ranks are read with those of the others', async () => {
    await mapTo(guild, rankFrom(guild, 100));
    const people = await buildCrowd(guild, crowd.verified, { verified: true });
    // The crowd's later members join the same batch, however slow each join is.
    const reads = roblox.hold({ match: /memberships|v1.users/, times: crowd.verified });
    const cost = await joinAtOnce(guild, people, { whenAllAre: reads.letGo });
    expect(cost.memberReads).to.equal(0);
    // The leases for members that wait for Discord are renewed.
    expect(cost.perJoin, JSON.stringify(cost.commands)).to.be.at.most(16);
    expect(cost.robloxCalls).to.be.at.most(crowd.verified / 2);
    expect(cost.syncs).to.deep.equal(cost.syncs.map(() => 1));
  });
});
