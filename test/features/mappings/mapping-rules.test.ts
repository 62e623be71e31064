import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import type { Condition } from '../../../src/features/mappings/condition.js';
import { enabledMappings } from '../../../src/features/mappings/mapping-service.js';
import { api } from '../../support/api.js';
import { buildGuild, type TestGuild, tokenFor } from '../../support/build.js';
import { factsWhere } from '../../support/events.js';
import { world } from '../../support/world.js';

const verified = { type: 'verified' };
const { BanMembers, ManageRoles, SendMessages, Administrator } = PermissionFlagsBits;

/** Makes a role on Discord and waits until the service has heard about it. */
async function addRole(
  { guildId }: TestGuild,
  input: { name: string; permissions?: bigint; position?: number; managed?: boolean },
): Promise<string> {
  const { discord } = await world();
  const { id } = discord.addRole(guildId, input);
  await factsWhere(guildId, ({ roles }) => roles.has(id), `the role ${input.name}`);
  return id;
}

async function create(guild: TestGuild, body: unknown) {
  return guild.api.post(`${guild.path}/mappings`, body);
}

describe('Roles that a mapping may name', () => {
  // MAP-13
  it('A mapping names no role above the bot, managed or @everyone: the refusal names the remedy for each', async () => {
    const guild = await buildGuild();
    const good = await addRole(guild, { name: 'Fine' });
    const above = await addRole(guild, { name: 'Captain', position: 9 });
    const managed = await addRole(guild, { name: 'Booster', managed: true });
    const roleIds = [good, above, managed, guild.guildId];
    const { status, body } = await create(guild, { condition: verified, roleIds });
    expect({ status, code: body.code }).to.deep.equal({ status: 409, code: 'role_unmanageable' });
    expect(body.blocked).to.deep.equal([
      { roleId: above, reason: 'role_above_bot' },
      { roleId: managed, reason: 'role_managed' },
      { roleId: guild.guildId, reason: 'everyone_role' },
    ]);
    expect(body.detail).to.contain('Captain').and.to.contain('Booster').and.to.contain('@everyone');
    expect(body.detail).to.contain('Server Settings');
    expect(await enabledMappings(guild.guildId)).to.deep.equal([]);
  });

  // MAP-13
  it('A mapping names no role of another server and no malformed id: the refusal names each', async () => {
    const [guild, other] = [await buildGuild(), await buildGuild()];
    const good = await addRole(guild, { name: 'Fine' });
    const foreign = await addRole(other, { name: 'Elsewhere' });
    const refused = async (roleIds: string[]) => {
      const { status, body } = await create(guild, { condition: verified, roleIds });
      expect({ status, code: body.code }).to.deep.equal({ status: 400, code: 'invalid_request' });
      return body.errors;
    };
    const message = 'is not a role of this server';
    expect(await refused([good, foreign, '123456789012345678'])).to.deep.equal([
      { path: 'roleIds.1', message },
      { path: 'roleIds.2', message },
    ]);
    for (const badId of ['99999999999999999999', '18446744073709551616', '0123456789012345678', '1e17']) {
      const [first] = await refused([badId]);
      expect(first.path).to.equal('roleIds.0');
      expect(first.message, badId).to.contain('must be a Discord ID');
    }
    expect(await enabledMappings(guild.guildId)).to.deep.equal([]);
  });

  it('A mapping names no role while the bot lacks Manage Roles', async () => {
    const guild = await buildGuild({ botPermissions: SendMessages });
    const roleId = await addRole(guild, { name: 'Fine' });
    const { status, body } = await create(guild, { condition: verified, roleIds: [roleId] });
    expect({ status, code: body.code }).to.deep.equal({ status: 409, code: 'role_unmanageable' });
    expect(body.blocked).to.deep.equal([{ roleId, reason: 'missing_permission' }]);
    expect(body.detail).to.contain('Manage Roles');
  });

  it('Only an admin maps a role with dangerous permissions, and is warned', async () => {
    const guild = await buildGuild();
    const plain = await addRole(guild, { name: 'Plain', permissions: SendMessages });
    const roleId = await addRole(guild, { name: 'Moderator', permissions: BanMembers | ManageRoles | SendMessages });
    const draft = { condition: verified, roleIds: [plain, roleId] };
    const manager = api(await tokenFor(guild.guildId, 'manager'));
    const refused = await manager.post(`${guild.path}/mappings`, draft);
    expect({ status: refused.status, code: refused.body.code }).to.deep.equal({ status: 403, code: 'forbidden' });
    expect(refused.body.detail).to.contain('Moderator').and.to.contain('BanMembers').and.to.contain('ManageRoles');
    expect(refused.body.detail).not.to.contain('SendMessages');
    expect(await enabledMappings(guild.guildId)).to.deep.equal([]);

    const admin = api(await tokenFor(guild.guildId, 'admin'));
    const { status, body } = await admin.post(`${guild.path}/mappings`, draft);
    expect(status).to.equal(201);
    expect(body.warnings).to.have.length(1);
    expect(body.warnings[0].roleId).to.equal(roleId);
    expect(body.warnings[0].permissions).to.have.members(['BanMembers', 'ManageRoles']);

    const widened = { ...draft, condition: { type: 'unverified' } };
    const path = `${guild.path}/mappings/${body.mappingId}`;
    expect((await manager.put(path, widened)).status).to.equal(403);
    const [stored] = await enabledMappings(guild.guildId);
    expect(stored?.condition).to.deep.equal(verified);
    expect((await manager.put(path, { ...draft, roleIds: [plain] })).status).to.equal(200);
  });

  it('A mapping may keep a role that breaks later, so that the mapping can be turned off', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const roleId = await addRole(guild, { name: 'Doomed' });
    const draft = { condition: verified, roleIds: [roleId] };
    const { body } = await create(guild, draft);
    discord.deleteRole(guild.guildId, roleId);
    await factsWhere(guild.guildId, ({ roles }) => !roles.has(roleId), 'the end of the role');
    const path = `${guild.path}/mappings/${body.mappingId}`;
    const off = await guild.api.put(path, { ...draft, enabled: false });
    expect(off.status).to.equal(200);
    expect(off.body).to.deep.include({ enabled: false, status: 'role_missing' });
    const other = '123456789012345678';
    const { status, body: problem } = await guild.api.put(path, { ...draft, roleIds: [roleId, other] });
    expect(status).to.equal(400);
    expect(problem.errors).to.deep.equal([{ path: 'roleIds.1', message: 'is not a role of this server' }]);
  });

  it('A bot with Administrator may give every role below it, whatever else it is allowed', async () => {
    const guild = await buildGuild({ botPermissions: Administrator });
    const roleId = await addRole(guild, { name: 'Fine' });
    expect((await create(guild, { condition: verified, roleIds: [roleId] })).body.status).to.equal('ok');
  });
});

describe('Groups that a condition may name', () => {
  async function withGroup() {
    const { roblox } = await world();
    const guild = await buildGuild();
    const roleId = await addRole(guild, { name: 'Member' });
    const game = roblox.addGroup({ name: 'Builders' });
    await guild.api.post(`${guild.path}/groups`, { groupId: game.id });
    const rankOf = (name: string): string => game.roles.find((role) => role.name === name)?.id ?? '';
    const createFor = (condition: Condition) => create(guild, { condition, roleIds: [roleId] });
    return { guild, game, rankOf, createFor };
  }

  it('A condition may name attached groups with their roles', async () => {
    const { game, rankOf, createFor } = await withGroup();
    const officer: Condition = { type: 'group_role', groupId: game.id, gameRoleId: rankOf('Officer') };
    const { status, body } = await createFor({ type: 'any', of: [officer, { type: 'verified' }] });
    expect(status, JSON.stringify(body)).to.equal(201);
    expect(body.condition).to.deep.equal({ type: 'any', of: [officer, { type: 'verified' }] });
  });

  it('A condition that names unknown groups, roles or ranks is refused, with every fault by its path', async () => {
    const { guild, game, rankOf, createFor } = await withGroup();
    const { status, body } = await createFor({
      type: 'all',
      of: [
        { type: 'group_member', groupId: '4242' },
        { type: 'not', of: { type: 'group_role', groupId: game.id, gameRoleId: '4243' } },
        { type: 'group_role', groupId: game.id, gameRoleId: rankOf('Guest') },
        { type: 'group_rank', groupId: game.id, min: 0, max: 0 },
        { type: 'group_rank', groupId: game.id, min: 0, max: 1 },
      ],
    });
    expect({ status, code: body.code }).to.deep.equal({ status: 400, code: 'invalid_request' });
    expect(body.errors.map((issue: { path: string }) => issue.path)).to.deep.equal([
      'condition.of.0.groupId',
      'condition.of.1.of.gameRoleId',
      'condition.of.2.gameRoleId',
      'condition.of.3.max',
    ]);
    const alone = await createFor({ type: 'group_member', groupId: '4242' });
    expect(alone.body.errors[0].path).to.equal('condition.groupId');
    expect(await enabledMappings(guild.guildId)).to.deep.equal([]);
  });

  it('A condition may not name a group that only another guild has attached', async () => {
    const { game } = await withGroup();
    const { createFor } = await withGroup();
    const { status, body } = await createFor({ type: 'group_member', groupId: game.id });
    expect(status).to.equal(400);
    expect(body.errors[0].path).to.equal('condition.groupId');
  });

  it('A condition may name a role that Roblox has had only since the group was attached', async () => {
    const { roblox } = await world();
    const { game, createFor } = await withGroup();
    const { id: gameRoleId } = roblox.addGroupRole(game.id, { name: 'Veteran', rank: 50 });
    const { status, body } = await createFor({ type: 'group_role', groupId: game.id, gameRoleId });
    expect(status, JSON.stringify(body)).to.equal(201);
    expect(body.status).to.equal('ok');
  });

  it('The API calls no new role wrong while Roblox is down', async () => {
    const { roblox } = await world();
    const { guild, game, rankOf, createFor } = await withGroup();
    const restore = roblox.inject({ match: /apis\.roblox\.com\/cloud\/v2\/groups/, status: 503 });
    try {
      const unknown = await createFor({ type: 'group_role', groupId: game.id, gameRoleId: '4243' });
      expect(unknown.status).to.equal(503);
      const known = await createFor({ type: 'group_role', groupId: game.id, gameRoleId: rankOf('Member') });
      expect(known.status).to.equal(201);
    } finally {
      restore();
    }
    expect(await enabledMappings(guild.guildId)).to.have.length(1);
  });
});
