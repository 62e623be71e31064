import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { buildGuild, type TestGuild } from '../../support/build.js';
import { world } from '../../support/world.js';
import { buildRole, deleteRole, mapVerified, rolesOf, roleWhen } from './roles-setup.js';

const { BanMembers, ManageRoles, SendMessages, ViewChannel } = PermissionFlagsBits;

const statusOf = async ({ api, path }: TestGuild, mappingId: string) => {
  const { data } = (await api.get(`${path}/mappings`)).body;
  return data.find((mapping: { mappingId: string }) => mapping.mappingId === mappingId).status;
};

const healthOf = async ({ api, path }: TestGuild): Promise<string[]> =>
  (await api.get(path)).body.health.map(({ code, roleId }: { code: string; roleId?: string }) => `${code} ${roleId}`);

describe('The list of roles', () => {
  it('The list of roles has every role, highest first, with the bot’s rights over it and its mappings', async () => {
    const { discord } = await world();
    const guild = await buildGuild({ botPermissions: ManageRoles | SendMessages });
    const low = await buildRole(guild, { name: 'Low', permissions: SendMessages });
    const banner = await buildRole(guild, { name: 'Banner', permissions: BanMembers | ViewChannel, position: 2 });
    const integration = await buildRole(guild, { name: 'Integration', managed: true, position: 3 });
    const high = await buildRole(guild, { name: 'High', position: 9, color: 0x1abc9c });
    const mine = [await mapVerified(guild, [banner]), await mapVerified(guild, [banner])].sort();
    const ofLow = await mapVerified(guild, [low]);
    const other = await buildGuild();
    await mapVerified(other, [await buildRole(other, { name: 'Elsewhere' })]);

    const roles = await rolesOf(guild);

    const bot = discord.botRole(guild.guildId);
    const plain = { color: null, iconUrl: null, managed: false, dangerous: [], mappings: [] };
    const none = { ...plain, reason: null, detail: null, assignable: true };
    const kept = { ...none, assignable: false };
    expect(roles.map(({ detail: _, permissions: __, ...role }: Record<string, unknown>) => role)).to.deep.equal(
      [
        { ...kept, roleId: high, name: 'High', color: '#1abc9c', position: 5, reason: 'role_above_bot' },
        {
          ...{ ...kept, roleId: bot.id, name: bot.name, position: 4 },
          ...{ managed: true, reason: 'role_managed', dangerous: ['ManageRoles'] },
        },
        { ...kept, roleId: integration, name: 'Integration', position: 3, managed: true, reason: 'role_managed' },
        { ...none, roleId: banner, name: 'Banner', position: 2, dangerous: ['BanMembers'], mappings: mine },
        { ...none, roleId: low, name: 'Low', position: 1, mappings: [ofLow] },
        { ...kept, roleId: guild.guildId, name: '@everyone', position: 0, reason: 'everyone_role' },
      ].map(({ detail: _, ...role }) => role),
    );
    const details = roles.map(({ detail }: { detail: string | null }) => detail);
    expect(details[0]).to.contain('High').and.to.contain(`Drag ${bot.name} above`);
    expect(details[2]).to.contain('Integration').and.to.contain('integration, a bot');
    expect(details.slice(3)).to.deep.equal([null, null, 'Everyone already has @everyone. Map another role.']);
    expect(roles[3].permissions).to.have.members(['BanMembers', 'ViewChannel']);
  });

  it('The list of roles continues by pages even when the last role of a page is deleted in the meantime', async () => {
    const guild = await buildGuild();
    for (let position = 1; position <= 5; position += 1) await buildRole(guild, { name: `R${position}` });
    const all = (await rolesOf(guild)).map(({ name }: { name: string }) => name);
    const page = async (cursor: string | null) => {
      const { body } = await guild.api.get(`${guild.path}/roles?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`);
      return { names: body.data.map(({ name }: { name: string }) => name), roles: body.data, next: body.nextCursor };
    };
    const first = await page(null);
    const second = await page(first.next);
    await deleteRole(guild, second.roles[1].roleId);
    const third = await page(second.next);
    const fourth = await page(third.next);
    const seen = [first, second, third, fourth].flatMap(({ names }) => names);
    expect(seen).to.deep.equal(all);
    expect(all).to.have.length(7);
    expect(fourth.next).to.equal(null);
    const bad = await guild.api.get(
      `${guild.path}/roles?cursor=${Buffer.from('{"roleId":"x"}').toString('base64url')}`,
    );
    expect(bad.body.errors).to.deep.equal([
      { path: 'query.cursor', message: 'is not a cursor of this list, with these filters and this sort' },
    ]);
  });

  it('The list of roles, mapping status and health immediately follow a move above the bot and back', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const roleId = await buildRole(guild, { name: 'Climber' });
    const mappingId = await mapVerified(guild, [roleId]);
    expect(await statusOf(guild, mappingId)).to.equal('ok');
    discord.moveRole(guild.guildId, roleId, 9);
    const above = await roleWhen(guild, roleId, ({ assignable }) => !assignable);
    expect(above).to.include({ reason: 'role_above_bot' });
    expect(await statusOf(guild, mappingId)).to.equal('role_unmanageable');
    expect(await healthOf(guild)).to.deep.equal([`role_above_bot ${roleId}`]);
    discord.moveRole(guild.guildId, discord.botRole(guild.guildId).id, 9);
    await roleWhen(guild, roleId, ({ assignable }) => assignable);
    expect(await statusOf(guild, mappingId)).to.equal('ok');
    expect(await healthOf(guild)).to.deep.equal([]);
  });

  // SYNC-31
  it('The list of roles follows the deletion of a role, which marks its mappings', async () => {
    const guild = await buildGuild();
    const [kept, lost] = [await buildRole(guild, { name: 'Kept' }), await buildRole(guild, { name: 'Lost' })];
    const mappings = [await mapVerified(guild, [kept, lost]), await mapVerified(guild, [kept])];
    await deleteRole(guild, lost);
    const status = await Promise.all(mappings.map((mappingId) => statusOf(guild, mappingId)));
    expect(status).to.deep.equal(['role_missing', 'ok']);
    expect(await healthOf(guild)).to.deep.equal([`role_deleted ${lost}`]);
  });

  it('The list of roles follows the bot’s permissions through its own role, @everyone, and roles given to it', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const { guildId } = guild;
    const bot = discord.botRole(guildId);
    const roleId = await buildRole(guild, { name: 'Mapped' });
    const helper = await buildRole(guild, { name: 'Helper', permissions: ManageRoles, position: 3 });
    const highest = await buildRole(guild, { name: 'Highest', position: 9 });
    const mappingId = await mapVerified(guild, [roleId]);

    discord.updateRole(guildId, bot.id, { permissions: SendMessages });
    const lost = await roleWhen(guild, roleId, ({ assignable }) => !assignable);
    expect(lost.reason).to.equal('missing_permission');
    expect(lost.detail).to.contain('Manage Roles').and.to.contain('Mapped');
    expect(await statusOf(guild, mappingId)).to.equal('role_unmanageable');
    expect(await healthOf(guild)).to.include('missing_manage_roles undefined');

    discord.setMemberRoles(guildId, discord.application.id, [bot.id, helper]);
    await roleWhen(guild, roleId, ({ assignable }) => assignable);
    expect(await statusOf(guild, mappingId)).to.equal('ok');
    expect((await rolesOf(guild))[0]).to.include({ roleId: highest, reason: 'role_above_bot' });

    discord.deleteRole(guildId, helper);
    await roleWhen(guild, roleId, ({ reason }) => reason === 'missing_permission');
    discord.updateRole(guildId, guildId, { permissions: ManageRoles });
    await roleWhen(guild, roleId, ({ assignable }) => assignable);
    expect(await statusOf(guild, mappingId)).to.equal('ok');
  });

  it('The list of roles is true in a process without the guild’s shard, and answers 503 when Discord is silent', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const roleId = await buildRole(guild, { name: 'Moved' });
    const mappingId = await mapVerified(guild, [roleId]);
    const cached = container.client.guilds.cache.get(guild.guildId);
    container.client.guilds.cache.delete(guild.guildId);
    try {
      discord.moveRole(guild.guildId, roleId, 9);
      const [role] = await rolesOf(guild);
      expect(role).to.include({ roleId, reason: 'role_above_bot' });
      expect(role.mappings).to.deep.equal([mappingId]);
      const restore = discord.inject({ match: new RegExp(`/guilds/${guild.guildId}`), status: 500 });
      const { status, body } = await guild.api.get(`${guild.path}/roles`);
      restore();
      expect({ status, code: body.code }).to.deep.equal({ status: 503, code: 'chat_platform_unavailable' });
    } finally {
      if (cached) container.client.guilds.cache.set(guild.guildId, cached);
    }
  });
});
