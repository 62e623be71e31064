import { expect } from 'chai';
import { asPerson } from '../../support/api.js';
import { linkPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildGroupGuild, buildSettledMember, type GroupGuild, mapTo, sync } from '../sync/sync-setup.js';

/** ID-19: nothing reveals a person's Roblox account without a link. */
describe('The Roblox name after the end of a link', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: GroupGuild;
  let person: TestPerson;

  beforeEach(async () => {
    ({ discord, roblox } = await world());
    guild = await buildGroupGuild();
    await mapTo(guild, { type: 'verified' });
    person = await buildSettledMember(guild);
    await sync(guild, person);
    expect(discord.member(guild.guildId, person.chatUserId)?.nickname).to.equal(person.gameUsername);
  });

  /** All that a team may ask about a member, as text. */
  async function told({ chatUserId, gameUserId, gameUsername }: TestPerson): Promise<string> {
    const one = `${guild.path}/members/${chatUserId}`;
    const answers = await Promise.all([
      guild.api.get(one),
      guild.api.get(`${one}/why`),
      guild.api.get(`${guild.path}/members?status=unlinked`),
      guild.api.get(`${guild.path}/members?status=linked`),
      guild.api.get(`${guild.path}/members?q=${gameUsername}`),
      guild.api.post(`${guild.path}/members/lookup`, { memberIds: [chatUserId] }),
      guild.api.get(`${guild.path}/pictures?ids=${chatUserId}`),
      guild.api.get(`${guild.path}/names?ids=${chatUserId}`),
      guild.api.post(`${guild.path}/sync/preview`, {}),
      guild.api.post(`${one}/resync`),
    ]);
    const found = answers.map(({ body }) => JSON.stringify(body)).join('\n');
    expect(found).to.include(chatUserId);
    return found.replaceAll(`members?q=${gameUsername}`, '').replaceAll(gameUserId, gameUsername);
  }
  const syncs = async () => (await guild.api.get(`${guild.path}/members/${person.chatUserId}`)).body.syncs;

  it('The syncs of a linked person return the nickname that was given', async () => {
    const given = (await syncs()).map(({ nickname }: { nickname?: string }) => nickname);
    expect(given).to.include(person.gameUsername);
  });

  for (const [way, end] of Object.entries({
    'hides their account': async () => {
      const body = { shown: false };
      const me = await asPerson(person);
      expect((await me.put(`/api/auth/me/consents/${guild.guildId}`, body)).status).to.equal(200);
    },
    'is unlinked by an admin': async () => {
      expect((await guild.api.delete(`${guild.path}/members/${person.chatUserId}/link`)).status).to.equal(204);
    },
    'unlinks themselves': async () => {
      expect((await (await asPerson(person)).delete('/api/verification/unlink')).status).to.equal(204);
    },
  })) {
    it(`A person who ${way} appears without their Roblox name in all answers about members`, async () => {
      await end();
      await sync(guild, person);
      expect(discord.member(guild.guildId, person.chatUserId)?.nickname).to.equal(null);
      expect(await told(person)).to.not.include(person.gameUsername);
      expect((await syncs()).some(({ nickname }: { nickname?: string | null }) => nickname === null)).to.equal(true);
    });
  }

  it('A person with another verified account appears with that one alone', async () => {
    const other = roblox.addUser({ username: `Second${person.gameUsername}x` });
    await guild.api.delete(`${guild.path}/members/${person.chatUserId}/link`);
    await linkPerson(guild.guildId, { ...person, gameUserId: other.id, gameUsername: other.username });
    await sync(guild, person);
    const given = (await syncs()).map(({ nickname }: { nickname?: string }) => nickname);
    expect(given).to.include(other.username).and.not.include(person.gameUsername);
  });

  it('A person’s own export contains the Roblox name of a link that has ended', async () => {
    await guild.api.delete(`${guild.path}/members/${person.chatUserId}/link`);
    const { body } = await (await asPerson(person)).get('/api/auth/me/export');
    expect(JSON.stringify(body)).to.include(person.gameUsername);
  });
});
