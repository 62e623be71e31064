import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { api, asPerson } from '../../support/api.js';
import { buildGuild, eventually, tokenFor } from '../../support/build.js';
import { world } from '../../support/world.js';

describe('The list of channels', () => {
  // API-23, API-70
  it('The list of channels marks the channels that the bot can post in, with the obstacle for others', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const { guildId } = guild;
    const { id: channelId } = discord.channel(guildId);
    const owner = await asPerson({ chatUserId: guild.ownerId, username: 'owner' });
    const listed = async () => (await owner.get(`${guild.path}/channels`)).body.data;
    const general = { channelId, name: 'general', kind: 'text', category: null, writable: true, reason: null };
    expect(await listed()).to.deep.equal([general]);
    discord.updateRole(guildId, guildId, { permissions: 0n });
    discord.updateRole(guildId, discord.botRole(guildId).id, { permissions: PermissionFlagsBits.ManageRoles });
    await eventually(async () => (await listed())[0].reason === 'channel_forbidden', 'the loss of the permission');
  });

  it('Only admins list the channels, because the list names some that others may not see', async () => {
    const guild = await buildGuild();
    const manager = api(await tokenFor(guild.guildId, 'manager'));
    expect((await manager.get(`${guild.path}/channels`)).status).to.equal(403);
  });
});
