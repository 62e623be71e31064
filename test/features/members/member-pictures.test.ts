import { expect } from 'chai';
import { buildGuild, buildMember } from '../../support/build.js';
import { world } from '../../support/world.js';

describe('GET …/pictures', () => {
  it('gives the head pictures of linked members of this guild, and nothing of anybody else', async () => {
    const { roblox } = await world();
    const [guild, other] = [await buildGuild(), await buildGuild()];
    const [linked, foreign] = [await buildMember(guild), await buildMember(other)];
    const ids = [linked.chatUserId, foreign.chatUserId, guild.ownerId].join();
    const { status, body } = await guild.api.get(`${guild.path}/pictures?ids=${ids}`);
    expect(status).to.equal(200);
    expect(Object.keys(body.pictures)).to.deep.equal([linked.chatUserId]);
    expect(body.pictures[linked.chatUserId]).to.contain(linked.gameUserId);
    const [later] = [await buildMember(guild)];
    roblox.inject({ match: /thumbnails/, status: 503 });
    const away = await guild.api.get(`${guild.path}/pictures?ids=${later.chatUserId}`);
    roblox.clearFaults();
    expect([away.status, away.body]).to.deep.equal([200, { pictures: {} }]);
    expect((await guild.api.get(`${guild.path}/pictures?ids=me`)).status).to.equal(400);
  });
});
