import { expect } from 'chai';
import { gatewayReady } from '../../../src/platforms/discord/gateway-state.js';
import { buildDiscordAdmin } from '../../features/team/team-setup.js';
import { api, asPerson } from '../../support/api.js';
import { buildGuild, buildMember, eventually } from '../../support/build.js';
import { factsWhere } from '../../support/events.js';
import { type World, world } from '../../support/world.js';

/** AUTH-36: rights are read from Discord itself while its gateway is silent. */
describe('Roles while the gateway is away', () => {
  let discord: World['discord'];

  before(async () => {
    ({ discord } = await world());
  });
  afterEach(async () => {
    discord.dropGateway();
    await eventually(() => gatewayReady(), 'the gateway');
  });

  async function loseGateway(): Promise<void> {
    discord.dropGateway(120_000);
    await eventually(() => !gatewayReady(), 'the loss of the gateway');
  }

  it('A demoted admin and their token lose their role immediately while the gateway is away', async () => {
    const guild = await buildGuild();
    const [kept, demoted] = [await buildDiscordAdmin(guild), await buildDiscordAdmin(guild)];
    const { body } = await demoted.api.post(`${guild.path}/tokens`, { name: 'mine', role: 'manager' });
    for (const caller of [demoted.api, kept.api, api(body.token)]) {
      expect((await caller.get(guild.path)).status).to.equal(200);
    }
    await loseGateway();
    discord.setMemberRoles(guild.guildId, demoted.chatUserId, []);
    expect((await demoted.api.get(guild.path)).status).to.equal(404);
    expect((await api(body.token).get(guild.path)).status).to.equal(401);
    expect((await kept.api.get(guild.path)).body.role).to.equal('admin');
  });

  it('A former owner loses the guild immediately while the gateway is away', async () => {
    const guild = await buildGuild();
    const heir = await buildMember(guild, { linked: false });
    const owner = await asPerson({ chatUserId: guild.ownerId, username: 'owner' });
    expect((await owner.get(guild.path)).body.role).to.equal('owner');
    await loseGateway();
    discord.transferGuild(guild.guildId, heir.chatUserId);
    expect((await owner.get(guild.path)).status).to.equal(404);
  });

  it('The current roles decide which roles may be mapped while the gateway is away', async () => {
    const guild = await buildGuild();
    const maker = await buildDiscordAdmin(guild);
    const { id: roleId } = discord.addRole(guild.guildId, { name: 'Low' });
    discord.moveRole(guild.guildId, roleId, 1);
    await factsWhere(
      guild.guildId,
      ({ roles }) => (roles.get(maker.roleId)?.position ?? 0) > (roles.get(roleId)?.position ?? 9),
      'the order of roles',
    );
    const { id: other } = discord.addRole(guild.guildId, { name: 'Still an admin', permissions: 0x20n });
    discord.moveRole(guild.guildId, other, 1);
    await loseGateway();
    discord.setMemberRoles(guild.guildId, maker.chatUserId, [other]);
    const draft = { condition: { type: 'verified' }, roleIds: [roleId] };
    const { status, body } = await maker.api.post(`${guild.path}/mappings`, draft);
    expect([status, body.detail]).to.deep.equal([403, 'You can only map roles below your own highest role: Low.']);
  });
});
