import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { clock } from '../../../src/lib/clock.js';
import { asPerson } from '../../support/api.js';
import { buildGuild, buildPerson, eventually } from '../../support/build.js';
import { world } from '../../support/world.js';

// AUTH-38
describe('An outsider’s requests to a guild', () => {
  const asked = async (chatUserId: string): Promise<number> => {
    const { discord } = await world();
    return discord.requests.filter(({ method, path }) => method === 'GET' && path.endsWith(`/members/${chatUserId}`))
      .length;
  };

  it('An outsider’s requests to a guild cost Discord one call in 30 seconds', async () => {
    const guild = await buildGuild();
    const person = await buildPerson();
    const stranger = await asPerson(person);
    for (let count = 0; count < 5; count += 1) {
      for (const path of ['', '/mappings', '/members']) {
        expect((await stranger.get(`${guild.path}${path}`)).status).to.equal(404);
      }
    }
    expect(await asked(person.chatUserId)).to.equal(1);
    clock.advance(30_001);
    expect((await stranger.get(guild.path)).status).to.equal(404);
    expect(await asked(person.chatUserId)).to.equal(2);
    const other = await buildGuild();
    expect((await stranger.get(other.path)).status).to.equal(404);
    expect(await asked(person.chatUserId)).to.equal(3);
  });

  it('An outsider gets access after joining and getting a role', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const person = await buildPerson();
    const stranger = await asPerson(person);
    expect((await stranger.get(guild.path)).status).to.equal(404);
    const { id } = discord.addRole(guild.guildId, { name: 'Chief', permissions: PermissionFlagsBits.ManageGuild });
    discord.join(guild.guildId, person.chatUserId, { roleIds: [id] });
    await eventually(async () => (await stranger.get(guild.path)).status === 200, 'access');
  });
});

describe('The memory of discord.js', () => {
  it('discord.js caches a bounded number of people, for any number of members', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    // A suspended guild's syncs rest. The crowd's would otherwise run for minutes during the next files.
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { state: 'suspended' } });
    const count = 1_500;
    for (let index = 0; index < count; index += 1) {
      const { id } = discord.addUser({ username: `crowd${index}` });
      discord.join(guild.guildId, id);
      discord.setNickname(guild.guildId, id, `Crowd ${index}`);
    }
    const last = await buildPerson();
    discord.join(guild.guildId, last.chatUserId);
    const { guilds, users } = container.client;
    const members = () => guilds.cache.get(guild.guildId)?.members.cache;
    await eventually(() => members()?.has(last.chatUserId), 'the last to come');
    expect(members()?.size).to.be.at.most(201);
    expect(users.cache.size).to.be.at.most(1_001);
    expect(users.cache.has(container.client.id ?? '')).to.equal(true);
    expect(members()?.has(container.client.id ?? '')).to.equal(true);
  });
});
