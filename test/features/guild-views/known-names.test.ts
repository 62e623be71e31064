import { expect } from 'chai';
import { Teammates } from '../../../src/core/access/teammate-model.js';
import { buildGuild, buildMember, buildPerson } from '../../support/build.js';
import { world } from '../../support/world.js';

// API-69
describe('Known names', () => {
  it('The API returns the names of members, teammates and roles only', async () => {
    const { discord } = await world();
    const [guild, other] = [await buildGuild(), await buildGuild()];
    const [member, stranger, teammate] = [await buildMember(guild), await buildMember(other), await buildPerson()];
    const invitation = { role: 'viewer', state: 'invited', invitedBy: guild.ownerId, invitedAt: new Date() } as const;
    const { chatUserId, username } = teammate;
    await Teammates.insert({ guildId: guild.guildId, chatUserId, username, ...invitation });
    const roleId = discord.addRole(guild.guildId, { name: 'Named' }).id;
    const ids = [member.chatUserId, stranger.chatUserId, chatUserId, roleId, '200000000000000015'];
    const { status, body } = await guild.api.get(`${guild.path}/names?ids=${ids.join()}`);
    expect(status).to.equal(200);
    expect(body.names).to.include({ [member.chatUserId]: member.username, [chatUserId]: username, [roleId]: 'Named' });
    expect(Object.keys(body.names)).to.have.length(3);
  });

  it('The API returns names for at most 100 ids of Discord', async () => {
    const guild = await buildGuild();
    for (const ids of ['', 'abc', Array(101).fill(guild.guildId).join()]) {
      expect((await guild.api.get(`${guild.path}/names?ids=${ids}`)).status, ids).to.equal(400);
    }
  });
});
