import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { mappedRolesDifferAmong, mappedRolesMayDiffer } from '../../../src/features/mappings/mapped-role-job.js';
import { logMappedRoles } from '../../../src/features/mappings/mapped-role-log.js';
import { findRoleStates } from '../../../src/features/mappings/mapped-role-state.js';
import { clock } from '../../../src/lib/clock.js';
import { buildGuild, eventually, type TestGuild } from '../../support/build.js';
import { linesOf } from '../../support/logged-lines.js';
import { world } from '../../support/world.js';
import {
  buildRole,
  deleteRole,
  loggedWhen,
  mapVerified,
  nextComparison,
  roleEntries,
  rolesSettled,
  roleWhen,
} from './roles-setup.js';

const { ManageRoles, SendMessages } = PermissionFlagsBits;

/** A guild with the bot above the mapped roles A, B and C, in this order, and the unmapped one Free at the bottom. */
async function buildMappedGuild() {
  const { discord } = await world();
  const guild = await buildGuild();
  const bot = discord.botRole(guild.guildId);
  const roleIds: string[] = [];
  for (const name of ['A', 'B', 'C', 'Free']) roleIds.push(await buildRole(guild, { name }));
  const [a = '', b = '', c = '', free = ''] = roleIds;
  const mappingIds = [await mapVerified(guild, [a, b], 'Staff'), await mapVerified(guild, [b, c])];
  await rolesSettled(guild);
  return { ...guild, discord, bot, free, a, b, c, mappingIds };
}

/** Makes one more transition and waits for it: everything before has been logged then. */
async function lastly(guild: TestGuild & { c: string }, count: number): Promise<string[]> {
  await deleteRole(guild, guild.c);
  return loggedWhen(guild, count + 1);
}

describe('The log of mapped roles', () => {
  it('The log reports once that a mapped role was moved above the bot, with cause and mappings, and its return', async () => {
    const guild = await buildMappedGuild();
    const { discord, guildId, a, mappingIds, bot } = guild;
    discord.moveRole(guildId, a, 9);
    await roleWhen(guild, a, ({ assignable }) => !assignable);
    await Promise.all(Array.from({ length: 5 }, () => logMappedRoles(guildId)));
    expect(await loggedWhen(guild, 1)).to.deep.equal(['role.blocked A']);
    const [entry] = await roleEntries(guild);
    expect(entry?.target).to.deep.equal({ kind: 'role', id: a, name: 'A' });
    expect(entry?.actor).to.include({ kind: 'system', id: 'mapped-roles' });
    const { detail, ...changes } = entry?.changes ?? {};
    expect(changes).to.deep.equal({
      obstacle: { from: null, to: 'role_above_bot' },
      botRoleName: { from: null, to: bot.name },
      mappings: { from: null, to: [`Staff (${mappingIds[0]})`] },
    });
    expect(detail?.to).to.contain(`Drag ${bot.name} above A`);
    expect((await findRoleStates([guildId])).get(guildId)?.obstacles).to.deep.equal([
      { roleId: a, obstacle: 'role_above_bot' },
    ]);

    discord.moveRole(guildId, a, 8);
    discord.updateRole(guildId, a, { name: 'A+', permissions: SendMessages });
    await Promise.all(Array.from({ length: 5 }, () => logMappedRoles(guildId)));
    discord.moveRole(guildId, a, 1);
    expect(await loggedWhen(guild, 2)).to.deep.equal(['role.blocked A', 'role.unblocked A+']);
    const [, back] = await roleEntries(guild);
    expect(back?.changes?.obstacle).to.deep.equal({ from: 'role_above_bot', to: null });
    expect(back?.changes).not.to.have.property('detail');
    expect(await lastly(guild, 2)).to.deep.equal(['role.blocked A', 'role.unblocked A+', 'role.deleted C']);
  });

  it('The log reports a move of the bot once for each mapped role that it passes', async () => {
    const guild = await buildMappedGuild();
    const { discord, guildId, bot } = guild;
    discord.moveRole(guildId, bot.id, 3);
    const blocked = await loggedWhen(guild, 2);
    expect(blocked.sort()).to.deep.equal(['role.blocked A', 'role.blocked B']);
    discord.moveRole(guildId, bot.id, 4);
    expect((await loggedWhen(guild, 3))[2]).to.equal('role.unblocked B');
    expect(await lastly(guild, 3)).to.have.length(4);
  });

  it('The log reports a deleted role once, with its name and every mapping that names it', async () => {
    const guild = await buildMappedGuild();
    const { guildId, b, mappingIds, discord } = guild;
    await deleteRole(guild, b);
    await deleteRole(guild, guild.free);
    expect(await loggedWhen(guild, 1)).to.deep.equal(['role.deleted B']);
    const [entry] = await roleEntries(guild);
    expect(entry?.target).to.deep.equal({ kind: 'role', id: b, name: 'B' });
    expect(entry?.changes?.mappings?.to).to.have.members([`Staff (${mappingIds[0]})`, mappingIds[1]]);
    expect(entry?.changes?.obstacle).to.deep.equal({ from: null, to: 'role_deleted' });
    discord.moveRole(guildId, guild.a, 1);
    await Promise.all([logMappedRoles(guildId), logMappedRoles(guildId)]);
    expect(await lastly(guild, 1)).to.deep.equal(['role.deleted B', 'role.deleted C']);
  });

  it('The log names a deleted role also if another comparison sees first that it is gone', async () => {
    const guild = await buildMappedGuild();
    const { guildId } = guild;
    const compared = new Promise((resolve) => {
      container.client.prependOnceListener('roleDelete', () => resolve(logMappedRoles(guildId)));
    });
    await deleteRole(guild, guild.b);
    await compared;
    expect(await loggedWhen(guild, 1)).to.deep.equal(['role.deleted B']);
  });

  it('The log reports once for the guild that the bot lost Manage Roles by any way, and got it back', async () => {
    const guild = await buildMappedGuild();
    const { discord, guildId, bot, a } = guild;
    discord.updateRole(guildId, bot.id, { permissions: SendMessages });
    expect(await loggedWhen(guild, 1)).to.deep.equal(['permission.lost Manage Roles']);
    const helper = await buildRole(guild, { name: 'Helper', permissions: ManageRoles, position: 9 });
    discord.moveRole(guildId, a, 9);
    await roleWhen(guild, helper, ({ reason }) => reason === 'missing_permission');
    discord.setMemberRoles(guildId, discord.application.id, [bot.id, helper]);
    const granted = await loggedWhen(guild, 3);
    expect(granted).to.deep.equal([
      'permission.lost Manage Roles',
      'permission.granted Manage Roles',
      'role.blocked A',
    ]);
    discord.setMemberRoles(guildId, discord.application.id, [bot.id]);
    expect((await loggedWhen(guild, 4))[3]).to.equal('permission.lost Manage Roles');
    discord.updateRole(guildId, guildId, { permissions: ManageRoles });
    expect((await loggedWhen(guild, 5))[4]).to.equal('permission.granted Manage Roles');
    expect(await lastly(guild, 5)).to.have.length(6);
  });

  it('The log has no entry about unmapped roles, or about guilds without mappings', async () => {
    const guild = await buildMappedGuild();
    const { discord, guildId, free, api, path, mappingIds, a } = guild;
    discord.moveRole(guildId, free, 9);
    await api.delete(`${path}/mappings/${mappingIds[0]}`);
    discord.moveRole(guildId, a, 9);
    await roleWhen(guild, a, ({ assignable }) => !assignable);
    expect(await lastly(guild, 0)).to.deep.equal(['role.deleted C']);
    const empty = await buildGuild();
    discord.updateRole(empty.guildId, discord.botRole(empty.guildId).id, { permissions: 0n });
    await eventually(async () => (await empty.api.get(empty.path)).body.botPermissions.length < 8, 'the loss');
    await logMappedRoles(empty.guildId);
    expect(await roleEntries(empty)).to.deep.equal([]);
    expect((await findRoleStates([empty.guildId])).get(empty.guildId)?.obstacles ?? []).to.deep.equal([]);
  });
});

describe('Mapped roles that changed without an event', () => {
  it('The log reports changes of mapped roles from a time without connection', async () => {
    const guild = await buildMappedGuild();
    const { discord, guildId, a, b, mappingIds } = guild;
    discord.invalidateSessions();
    discord.deleteRole(guildId, b);
    discord.moveRole(guildId, a, 9);
    await discord.ready();
    const found = await eventually(async () => (await loggedWhen(guild, 2)).sort(), 'the log');
    expect(found).to.deep.equal(['role.blocked A', `role.deleted ${b}`]);
    const { data } = (await guild.api.get(`${guild.path}/mappings`)).body;
    const status = data.map((mapping: { mappingId: string; status: string }) => [mapping.mappingId, mapping.status]);
    expect(Object.fromEntries(status)).to.deep.equal({
      [mappingIds[0] ?? '']: 'role_missing',
      [mappingIds[1] ?? '']: 'role_missing',
    });
    expect(container.client.guilds.cache.get(guildId)?.available).to.equal(true);
  });

  it('The log reports the bot’s return below mapped roles, and nothing false amid later moves', async () => {
    const guild = await buildMappedGuild();
    const { discord, guildId, free } = guild;
    discord.removeBot(guildId);
    await eventually(() => !container.client.guilds.cache.has(guildId), 'the removal');
    discord.addBot(guildId);
    expect((await loggedWhen(guild, 3)).sort()).to.deep.equal(['role.blocked A', 'role.blocked B', 'role.blocked C']);
    discord.moveRole(guildId, discord.botRole(guildId).id, 9);
    expect((await loggedWhen(guild, 6)).slice(3).sort()).to.deep.equal([
      'role.unblocked A',
      'role.unblocked B',
      'role.unblocked C',
    ]);
    discord.moveRole(guildId, free, 9);
    // For as long as not all this is told, A has the bot's place and is older, so that it stands above.
    discord.moveRole(guildId, free, 1);
    expect(await lastly(guild, 6)).to.have.length(7);
  });

  it('The comparison of a batch in which every server has news fails in nothing', async () => {
    const { guildId, a } = await buildMappedGuild();
    const stale = { $set: { 'mappedRoles.obstacles': [{ roleId: a, obstacle: 'role_above_bot' }] } };
    await GuildRecord.updateOne({ _id: guildId }, { ...stale, $unset: { 'mappedRoles.rolesKey': 1 } });
    const lines = await linesOf(() => mappedRolesDifferAmong([guildId]));
    expect(lines.filter(({ level, msg }) => level >= 40 && msg.includes('batch'))).to.deep.equal([]);
    const isCorrected = async () => (await findRoleStates([guildId])).get(guildId)?.obstacles?.length === 0;
    await eventually(isCorrected, 'the comparison of the server');
  });

  it('A comparison that Discord refuses, as after a kick, is no failed job', async () => {
    const guild = await buildMappedGuild();
    const { discord, guildId } = guild;
    discord.forgetRequests();
    const cached = container.client.guilds.cache.get(guildId);
    container.client.guilds.cache.delete(guildId);
    const restore = discord.inject({ match: new RegExp(`/guilds/${guildId}`), status: 403, code: 50_001 });
    try {
      const lines = await linesOf(async () => {
        mappedRolesMayDiffer(guildId);
        await rolesSettled(guild);
      });
      expect(discord.requests.some(({ path }) => path.includes(guildId))).to.equal(true);
      expect(lines.filter(({ level, job }) => level >= 50 && job === 'log-mapped-roles')).to.deep.equal([]);
    } finally {
      restore();
      if (cached !== undefined) container.client.guilds.cache.set(guildId, cached);
    }
  });

  it('The service compares mapped roles again in a minute when Discord is silent and another process has the shard', async () => {
    const guild = await buildMappedGuild();
    const { discord, guildId, a } = guild;
    const cached = container.client.guilds.cache.get(guildId);
    container.client.guilds.cache.delete(guildId);
    const restore = discord.inject({ match: new RegExp(`/guilds/${guildId}`), status: 500 });
    try {
      discord.moveRole(guildId, a, 9);
      mappedRolesMayDiffer(guildId);
      const inSeconds = await eventually(() => {
        const left = ((nextComparison(guildId)?.getTime() ?? 0) - clock.epochMs()) / 1000;
        return left > 2 ? left : null;
      }, 'the next look');
      expect(inSeconds).to.be.within(30, 60);
    } finally {
      restore();
      if (cached) container.client.guilds.cache.set(guildId, cached);
    }
    expect(await roleEntries(guild)).to.deep.equal([]);
  });
});
