import { expect } from 'chai';
import sinon from 'sinon';
import { guildShare } from '../../../src/core/guilds/guild-share.js';
import { clock } from '../../../src/lib/clock.js';
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

  it('Of 100 whole previews and dry runs in a minute, 30 are planned, and the others are refused with the time', async () => {
    const { discord } = await world();
    const { api, path, guildId } = guild;
    const { body: config } = await api.get(`${path}/config`);
    clock.freeze(new Date());
    const pages = () => discord.requests.filter((one) => one.path.endsWith(`/guilds/${guildId}/members`)).length;
    const before = pages();
    const preview = () => api.post(`${path}/sync/preview`, {});
    const dryRun = () => api.put(`${path}/config?dryRun=true`, config);
    const asked = await Promise.all(
      Array.from({ length: 100 }, async (_, turn) => (turn % 40 === 0 ? preview() : dryRun())),
    );
    const planned = asked.filter(({ status }) => status === 200);
    const refused = asked.filter(({ status }) => status === 429);
    expect([planned.length, refused.length]).to.deep.equal([30, 70]);
    // This server's preview reads one member page.
    expect(pages() - before).to.equal(planned.filter(({ body }) => body.previewId !== undefined).length);
    for (const { headers } of refused) expect(Number(headers.get('retry-after'))).to.be.within(1, 61);
    clock.advance(61_000);
    expect((await preview()).status).to.equal(200);
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
