import { expect } from 'chai';
import { config } from '../../../src/config/config.js';
import { api } from '../../support/api.js';
import { buildGuild, buildMember, tokenFor } from '../../support/build.js';
import { world } from '../../support/world.js';

describe('Search for people', () => {
  afterEach(async () => (await world()).discord.clearFaults());

  // API-23, API-72
  it('The search finds people of the server by the start of a name and by id, and no bots', async () => {
    const guild = await buildGuild();
    const person = await buildMember(guild, { linked: false });
    const found = async (q: string) => {
      const { status, body } = await guild.api.get(`${guild.path}/people?q=${encodeURIComponent(q)}`);
      expect(status).to.equal(200);
      return body.data;
    };
    const shown = { chatUserId: person.chatUserId, username: person.username, nickname: null, avatarUrl: null };
    expect(await found(person.username.slice(0, -1).toUpperCase())).to.deep.include(shown);
    expect(await found(person.chatUserId)).to.deep.equal([shown]);
    expect(await found('200000000000000015')).to.deep.equal([]);
    expect(await found('nobody is called so')).to.deep.equal([]);
    expect(await found(config().discord.clientId ?? '')).to.deep.equal([]);
  });

  // API-72
  it('The search finds at most ten people', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    for (let index = 0; index < 12; index += 1) {
      discord.join(guild.guildId, discord.addUser({ username: `twelve.${index}` }).id);
    }
    expect((await guild.api.get(`${guild.path}/people?q=twelve`)).body.data).to.have.length(10);
  });

  it('The search for people is for admins, and takes a name', async () => {
    const guild = await buildGuild();
    const manager = api(await tokenFor(guild.guildId, 'manager'));
    expect((await manager.get(`${guild.path}/people?q=a`)).status).to.equal(403);
    expect((await guild.api.get(`${guild.path}/people`)).body.errors[0].path).to.equal('query.q');
  });

  // API-31
  it('The search for people answers 503 while Discord is down, and 429 after 30 a minute', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    discord.inject({ match: new RegExp(`guilds/${guild.guildId}/members/search`), status: 500 });
    expect((await guild.api.get(`${guild.path}/people?q=a`)).body.code).to.equal('chat_platform_unavailable');
    discord.clearFaults();
    const statuses: number[] = [];
    for (let index = 0; index < 30; index += 1) {
      statuses.push((await guild.api.get(`${guild.path}/people?q=`)).status);
    }
    expect(statuses).to.include(429);
  });
});
