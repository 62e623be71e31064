import { expect } from 'chai';
import { findMember } from '../../../src/features/members/member-service.js';
import { keepPresence, storedInRange } from '../../../src/features/members/page-presence.js';
import { buildGuild, buildMember, buildPerson, eventually, type TestGuild } from '../../support/build.js';
import { world } from '../../support/world.js';

const picture = '0123456789abcdef0123456789abcdef';

describe('Pictures of members', () => {
  // API-69
  it('The API returns the head pictures of linked members of this guild only', async () => {
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
    expect([away.status, away.body]).to.deep.equal([200, { pictures: {}, avatars: {} }]);
    expect((await guild.api.get(`${guild.path}/pictures?ids=me`)).status).to.equal(400);
  });

  // ROBLOX-11, API-69
  it('The API gives members’ Discord pictures, linked or not, and one update changes them in all guilds', async () => {
    const { discord } = await world();
    const [first, second] = [await buildGuild(), await buildGuild()];
    const person = await buildMember(first, { linked: false });
    await buildMember(second, { person });
    const avatars = async ({ api, path }: TestGuild): Promise<Record<string, string>> =>
      (await api.get(`${path}/pictures?ids=${person.chatUserId}`)).body.avatars;
    const shown = async () =>
      (await Promise.all([first, second].map(avatars))).flatMap((found) => Object.values(found));
    await eventually(() => findMember(first.guildId, person.chatUserId), 'the member');
    expect(await shown()).to.deep.equal([]);
    discord.changeAvatar(person.chatUserId, picture);
    await eventually(async () => (await shown()).length === 2, 'the picture in both guilds');
    const address = `https://cdn.discordapp.com/avatars/${person.chatUserId}/${picture}.png?size=128`;
    expect(await shown()).to.deep.equal([address, address]);
    discord.changeAvatar(person.chatUserId, null);
    await eventually(async () => (await shown()).length === 0, 'no picture');
  });

  it('A join and a kept page of members take over the person’s Discord picture', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const person = await buildPerson();
    discord.changeAvatar(person.chatUserId, picture);
    await buildMember(guild, { person, linked: false });
    const { guildId } = guild;
    const member = () => findMember(guildId, person.chatUserId);
    expect((await eventually(member, 'the member')).chatAvatar).to.equal(picture);
    const read = async (avatar: string | null, isKept: boolean) => {
      const { chatUserId, username } = person;
      const page = { guildId, after: '0', next: null, people: [{ chatUserId, username, avatar }], askedAt: new Date() };
      await keepPresence(page, await storedInRange(page), isKept);
      return (await member())?.chatAvatar;
    };
    expect(await read('a_another', false), 'a look changes nothing').to.equal(picture);
    expect(await read('a_another', true)).to.equal('a_another');
    expect(await read(null, true)).to.equal(undefined);
  });
});
