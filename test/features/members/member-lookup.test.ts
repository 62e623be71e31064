import { expect } from 'chai';
import { asPerson } from '../../support/api.js';
import { buildGuild, buildMember, buildPerson, type TestGuild, type TestPerson } from '../../support/build.js';
import { world } from '../../support/world.js';

const nobody = '900000000000000001';

// API-63
describe('The lookup of members', () => {
  let guild: TestGuild;
  let linked: TestPerson;
  let stranger: TestPerson;

  before(async () => {
    guild = await buildGuild();
    linked = await buildMember(guild);
    stranger = await buildMember(guild, { linked: false });
  });

  const lookUp = (body: object) => guild.api.post(`${guild.path}/members/lookup`, body);

  it('The lookup of members answers each Discord id in its place, and marks unknown ids', async () => {
    const { discord } = await world();
    discord.forgetRequests();
    const { status, body } = await lookUp({ memberIds: [nobody, linked.chatUserId, stranger.chatUserId, nobody] });
    expect(status).to.equal(200);
    expect(body.data.map(({ id }: { id: string }) => id)).to.deep.equal([
      ...[nobody, linked.chatUserId, stranger.chatUserId, nobody],
    ]);
    const [first, second, third, last] = body.data;
    expect([first.member, last.member]).to.deep.equal([null, null]);
    expect(second.member).to.deep.include({
      memberId: linked.chatUserId,
      gameUserId: linked.gameUserId,
      status: 'linked',
    });
    expect(third.member === null || third.member.status === 'joined').to.equal(true);
    expect(discord.requests.filter(({ path }) => path.includes(nobody))).to.deep.equal([]);
  });

  it('The lookup of members answers Roblox ids of this guild only', async () => {
    const elsewhere = await buildMember(await buildGuild());
    const { body } = await lookUp({ gameUserIds: [elsewhere.gameUserId, linked.gameUserId] });
    expect(body.data[0]).to.deep.equal({ id: elsewhere.gameUserId, member: null });
    expect(body.data[1].member.memberId).to.equal(linked.chatUserId);
  });

  it('The lookup of members accepts 1 to 100 ids of one kind', async () => {
    const many = Array.from({ length: 101 }, (_, n) => String(n + 1));
    expect((await lookUp({ gameUserIds: many.slice(1) })).body.data).to.have.length(100);
    for (const wrong of [{}, { gameUserIds: [] }, { gameUserIds: many }, { memberIds: ['1'] }]) {
      expect((await lookUp(wrong)).status, JSON.stringify(wrong)).to.equal(400);
    }
    expect((await lookUp({ memberIds: [nobody], gameUserIds: ['1'] })).status).to.equal(400);
  });

  // API-32
  it('The lookup of members counts as a read of tokens, and as a request of people', async () => {
    const byToken = await lookUp({ gameUserIds: ['1'] });
    expect(byToken.headers.get('ratelimit-limit')).to.equal('600');
    const owner = await asPerson({ chatUserId: guild.ownerId, username: 'owner' });
    const byPerson = await owner.post(`${guild.path}/members/lookup`, { gameUserIds: ['1'] });
    expect([byPerson.status, byPerson.headers.get('ratelimit-limit')]).to.deep.equal([200, '120']);
    const outsider = await asPerson(await buildPerson());
    expect((await outsider.post(`${guild.path}/members/lookup`, { gameUserIds: ['1'] })).status).to.equal(404);
  });
});
