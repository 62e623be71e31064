import { expect } from 'chai';
import sinon from 'sinon';
import { guildShare } from '../../../src/core/guilds/guild-share.js';
import { RateLimited } from '../../../src/lib/errors.js';
import { searchGroups } from '../../../src/platforms/roblox/group-checks.js';
import { buildGuild, type TestGuild } from '../../support/build.js';
import { world } from '../../support/world.js';

// API-96, API-38
describe('A server’s share for what it can ask for', () => {
  let guild: TestGuild;
  before(async () => {
    guild = await buildGuild();
  });
  afterEach(() => sinon.restore());

  it('A dry run of a configuration is refused while the server’s share is used up, and applying it is not', async () => {
    const { body: config } = await guild.api.get(`${guild.path}/config`);
    sinon.stub(guildShare, 'run').rejects(new RateLimited(7, 'used up'));
    const dry = await guild.api.put(`${guild.path}/config?dryRun=true`, config);
    expect([dry.status, dry.headers.get('retry-after')]).to.deep.equal([429, '7']);
    expect((await guild.api.put(`${guild.path}/config`, config)).status).to.equal(200);
  });

  it('Searches for groups count in the server’s share of Roblox, whoever asks, and not in another server’s', async () => {
    const { roblox } = await world();
    roblox.forgetRequests();
    const asked = await Promise.allSettled(
      Array.from({ length: 61 }, (_, index) => searchGroups(guild.guildId, `Group ${index}`)),
    );
    const refused = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(refused.filter((reason) => reason instanceof RateLimited)).to.have.length(1);
    const { status } = await guild.api.get(`${guild.path}/groups/search?q=Any`);
    expect(status).to.equal(429);
    const other = await buildGuild();
    expect((await other.api.get(`${other.path}/groups/search?q=Any`)).status).to.equal(200);
  });
});
