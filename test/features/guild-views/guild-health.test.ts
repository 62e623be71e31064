import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { LinkedGroups } from '../../../src/core/groups/group-model.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../../src/core/settings/settings-service.js';
import { guildHealth } from '../../../src/features/guild-views/guild-health.js';
import { buildGuild, eventually, type TestGuild } from '../../support/build.js';
import { world } from '../../support/world.js';

const { ManageRoles, ManageNicknames, SendMessages } = PermissionFlagsBits;

async function healthOf({ api, path }: TestGuild, codes: string[]) {
  return eventually(async () => {
    const { status, body } = await api.get(path);
    expect(status).to.equal(200);
    const found = body.health.map((issue: { code: string }) => issue.code);
    return [...found].sort().join() === [...codes].sort().join() ? body : null;
  }, `the health ${codes.join()}`);
}

async function mapRole(guild: TestGuild, name: string, condition: unknown = { type: 'verified' }): Promise<string> {
  const { discord } = await world();
  const { id: roleId } = discord.addRole(guild.guildId, { name });
  await eventually(async () => {
    const { status } = await guild.api.post(`${guild.path}/mappings`, { condition, roleIds: [roleId] });
    return status === 201;
  }, `a mapping of ${name}`);
  return roleId;
}

// API-55
describe('The health of a guild', () => {
  it('A guild’s health is empty when nothing stops a sync, and names the bot’s permissions', async () => {
    const guild = await buildGuild({ botPermissions: ManageRoles | ManageNicknames });
    await mapRole(guild, 'Fine');
    const { botPermissions } = await healthOf(guild, []);
    expect(botPermissions).to.include.members(['ManageRoles', 'ManageNicknames']);
    expect(botPermissions).not.to.include('Administrator');
  });

  it('A guild’s health names missing permissions, that for nicknames only while they are set', async () => {
    const guild = await buildGuild({ botPermissions: SendMessages });
    const { health } = await healthOf(guild, ['missing_manage_roles', 'missing_manage_nicknames']);
    expect(health[0].detail).to.contain('Manage Roles').and.to.contain('Server Settings');
    expect(health[0].permission).to.equal('Manage Roles');
    await writeSettings(guild.guildId, {
      ...defaultSettings,
      nickname: { enabled: false, template: '{gameUsername}' },
    });
    await healthOf(guild, ['missing_manage_roles']);
  });

  // OBS-27
  it('A guild’s health names another verification bot that may give roles, unless the guild only observes', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    discord.addRole(guild.guildId, { name: 'Music', permissions: ManageRoles, managed: true });
    const { id } = discord.addRole(guild.guildId, { name: 'Bloxlink', permissions: ManageRoles, managed: true });
    const { health, mode } = await healthOf(guild, ['other_bot']);
    expect(health[0]).to.deep.include({ botNames: ['Bloxlink'], severity: 'warning' });
    expect(mode).to.equal('enforce');
    await writeSettings(guild.guildId, { ...defaultSettings, mode: 'observe' });
    expect(await healthOf(guild, [])).to.include({ mode: 'observe' });
    await writeSettings(guild.guildId, defaultSettings);
    await healthOf(guild, ['other_bot']);
    discord.updateRole(guild.guildId, id, { permissions: 0n });
    await healthOf(guild, []);
  });

  // API-60
  it('A guild’s health names a mapped role above the bot once, and nothing when it is moved back', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const roleId = await mapRole(guild, 'Climber');
    const again = { condition: { type: 'unverified' }, roleIds: [roleId] };
    expect((await guild.api.post(`${guild.path}/mappings`, again)).status).to.equal(201);
    discord.moveRole(guild.guildId, roleId, 9);
    const { health } = await healthOf(guild, ['role_above_bot']);
    const { data } = (await guild.api.get(`${guild.path}/mappings`)).body;
    expect(health[0].mappingIds).to.have.members(data.map(({ mappingId }: { mappingId: string }) => mappingId));
    expect(health[0]).to.include({
      severity: 'error',
      roleId,
      roleName: 'Climber',
      botRoleName: discord.botRole(guild.guildId).name,
    });
    expect(health[0].detail).to.contain('Climber').and.to.contain(discord.botRole(guild.guildId).name);
    discord.moveRole(guild.guildId, roleId, 1);
    await healthOf(guild, []);
  });

  it('A guild’s health names a deleted mapped role until its mapping is turned off or removed', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const kept = await mapRole(guild, 'Kept');
    const roleId = await mapRole(guild, 'Deleted');
    discord.deleteRole(guild.guildId, roleId);
    const { health } = await healthOf(guild, ['role_deleted']);
    expect(health[0].roleId).to.equal(roleId);
    const named = await eventually(async () => {
      const [issue] = (await healthOf(guild, ['role_deleted'])).health;
      return issue.roleName === 'Deleted' ? issue : undefined;
    }, 'the name of the deleted role');
    expect(named.detail).to.contain('Deleted').and.not.to.contain(roleId);
    const { data } = (await guild.api.get(`${guild.path}/mappings`)).body;
    const broken = data.find((mapping: { roleIds: string[] }) => mapping.roleIds.includes(roleId));
    expect(kept).not.to.equal(roleId);
    await guild.api.put(`${guild.path}/mappings/${broken.mappingId}`, {
      condition: broken.condition,
      roleIds: broken.roleIds,
      enabled: false,
    });
    await healthOf(guild, []);
  });

  it('A guild’s health names groups and game roles that are gone', async () => {
    const { roblox } = await world();
    const guild = await buildGuild();
    const games = [roblox.addGroup({ name: 'Builders' }), roblox.addGroup({ name: 'Miners' })];
    for (const { id: groupId } of games) await guild.api.post(`${guild.path}/groups`, { groupId });
    const [builders, miners] = games.map(({ id, roles }) => ({ id, gameRoleId: roles[1]?.id }));
    for (const game of [builders, miners]) {
      await mapRole(guild, 'Member', { type: 'group_role', groupId: game?.id, gameRoleId: game?.gameRoleId });
    }
    await healthOf(guild, []);
    const { guildId } = guild;
    await LinkedGroups.update({ guildId, groupId: builders?.id ?? '' }, { $set: { roles: [] } });
    await LinkedGroups.update({ guildId, groupId: miners?.id ?? '' }, { $set: { gone: true } });
    const { health } = await healthOf(guild, ['game_role_missing', 'group_missing']);
    expect(health[0].detail).to.contain('Miners').and.to.contain('no longer exists');
    expect(health[1].detail).to.contain('Builders').and.to.contain(builders?.gameRoleId);
    expect(health[0]).to.include({ groupId: miners?.id, groupName: 'Miners' });
    expect(health[1]).to.include({ groupId: builders?.id, groupName: 'Builders', gameRoleId: builders?.gameRoleId });
    await LinkedGroups.remove({ guildId, groupId: miners?.id ?? '' });
    const lost = await guildHealth(guild.guild);
    expect(lost.health[0]?.detail).to.contain(`${miners?.id}, which isn't added here`);
  });

  it('A guild’s health reports that Discord does not answer, instead of failing', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    // As on a process that does not hold the guild's shard: it has to ask over REST.
    const cached = container.client.guilds.cache.get(guild.guildId);
    container.client.guilds.cache.delete(guild.guildId);
    const restore = discord.inject({ match: new RegExp(`/guilds/${guild.guildId}`), status: 500 });
    try {
      const { botPermissions, health } = await healthOf(guild, ['discord_unreachable']);
      expect(botPermissions).to.deep.equal([]);
      expect(health[0].detail).to.contain('Discord');
    } finally {
      restore();
      if (cached) container.client.guilds.cache.set(guild.guildId, cached);
    }
    await healthOf(guild, []);
  });
});
