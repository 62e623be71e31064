import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { LinkedGroups } from '../../../src/core/groups/group-model.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { Mappings } from '../../../src/features/mappings/mapping-model.js';
import { type Api, api } from '../../support/api.js';
import { tokenFor } from '../../support/build.js';
import { factsWhere } from '../../support/events.js';
import { type World, world } from '../../support/world.js';
import { addRole, buildGroupGuild, type GroupGuild } from '../sync/sync-setup.js';

let roblox: World['roblox'];
let discord: World['discord'];
let guild: GroupGuild;
let manager: Api;
let [officer, staff]: string[] = [];
const known = (roleId: string) => factsWhere(guild.guildId, ({ roles }) => roles.has(roleId));
const send = (body: object, by = manager) => by.post(`${guild.path}/mappings/import`, body);
const stored = () => Mappings.find({ guildId: guild.guildId }, { sort: { _id: 1 } });

const csv = (...lines: string[]) => ({
  format: 'csv',
  text: ['name,condition,group,min,max,gameRole,roles', ...lines].join('\n'),
});

/** Registers hooks: each test gets a guild with two roles, and the API as its manager. */
function useGuild(): void {
  before(async () => {
    ({ roblox, discord } = await world());
  });

  beforeEach(async () => {
    guild = await buildGroupGuild();
    manager = api(await tokenFor(guild.guildId, 'manager'));
    [officer, staff] = [await addRole(guild, { name: 'Officer' }), await addRole(guild, { name: 'Staff, all' })];
    await known(staff);
  });
}

// CONF-21, CONF-22, CONF-24
describe('Mapping imports', () => {
  useGuild();

  it('A mapping import is a dry run at first', async () => {
    const { status, body } = await send({
      ...csv(
        `High,group_rank,${guild.groupId},100,255,,Officer`,
        `By name,group_role,${guild.groupId},,,Officer,"""Staff, all"""`,
        `Everybody,verified,,,,,${staff}`,
        `Again,verified,,,,,"<@&${staff}>"`,
        'Lost,verified,,,,,Nowhere',
        'Other group,group_member,999,,,,Officer',
        `No such,group_role,${guild.groupId},,,General,Officer`,
        'Odd,whenever,,,,,Officer',
      ),
    });
    expect(status).to.equal(200);
    expect(body.dryRun).to.equal(true);
    expect(body.created.map(({ line, mappingId }: Record<string, unknown>) => [line, mappingId])).to.deep.equal([
      [2, null],
      [4, null],
    ]);
    expect(body.created[0].mapping).to.deep.equal({
      ...{ name: 'High', roleIds: [officer], nickname: null, removeWhenUnmatched: true, enabled: true },
      condition: { type: 'group_rank', groupId: guild.groupId, min: 100, max: 255 },
    });
    expect(body.skipped).to.deep.equal([{ line: 5, mappingId: null }]);
    expect(body.refused.map(({ line, code }: Record<string, unknown>) => [line, code])).to.deep.equal([
      [3, 'role_not_found'],
      [6, 'role_not_found'],
      [7, 'group_not_attached'],
      [8, 'game_role_not_found'],
      [9, 'not_understood'],
    ]);
    expect(body.limits).to.deep.equal({ mappings: { used: 0, adding: 2, limit: 1000 }, fits: true });
    expect(await stored()).to.deep.equal([]);
    expect(await AuditLog.count({ guildId: guild.guildId, action: 'mappings.imported' })).to.equal(0);
  });

  it('A mapping import makes its mappings, logs each, and does nothing when it is sent again', async () => {
    const wish = {
      ...csv(`High,group_rank,${guild.groupId},100,,,Officer`, `,verified,,,,,"${staff}"`),
      dryRun: false,
    };
    const first = await send(wish);
    expect(first.status).to.equal(200);
    const mappings = await stored();
    expect(first.body.created.map(({ mappingId }: { mappingId: string }) => mappingId)).to.have.members(
      mappings.map(({ _id }) => _id),
    );
    expect(mappings.map(({ name }) => name)).to.have.members(['High', null]);
    const entries = await AuditLog.find({ guildId: guild.guildId }, { sort: { at: 1, _id: 1 } });
    const actions = entries.map(({ action }) => action).filter((action) => action.startsWith('mapping'));
    expect(actions).to.deep.equal(['mapping.created', 'mapping.created', 'mappings.imported']);
    expect(entries.at(-1)?.changes).to.deep.equal({
      mappings: { from: null, to: 2 },
      format: { from: null, to: 'csv' },
    });
    const mappingIds = mappings.map(({ _id }) => _id);
    await Mappings.update(
      { guildId: guild.guildId, _id: mappingIds[0] ?? '' },
      { $set: { enabled: false, name: 'x' } },
    );

    const second = await send(wish);
    expect(second.body.created).to.deep.equal([]);
    expect(second.body.skipped.map(({ mappingId }: { mappingId: string }) => mappingId)).to.have.members(mappingIds);
    expect(await stored()).to.have.length(2);
    expect(await AuditLog.count({ guildId: guild.guildId, action: 'mappings.imported' })).to.equal(1);
  });

  it('A mapping import accepts mappings as the API has them, and refuses malformed ones by their paths', async () => {
    const condition = { type: 'any', of: [{ type: 'verified' }, { type: 'group_member', groupId: guild.groupId }] };
    const { body } = await send({ mappings: [{ condition, roleIds: [officer] }], dryRun: false });
    expect(body.created).to.have.length(1);
    expect((await stored())[0]).to.deep.include({ condition, roleIds: [officer] });
    const bad = await send({
      mappings: [
        { condition, roleIds: [] },
        { condition: { type: 'x' }, roleIds: [officer] },
      ],
    });
    expect(bad.status).to.equal(400);
    expect(bad.body.errors.map(({ path }: { path: string }) => path)).to.deep.equal([
      'mappings.0.roleIds',
      'mappings.1.condition.type',
    ]);
    expect((await send({ format: 'csv', text: 'nonsense' })).body.errors[0].path).to.equal('text');
  });

  it('A mapping import reads a bind of a whole group as one mapping of the whole group', async () => {
    const text = `Linked Groups\nThe Group (${guild.groupId})\nBadges\nBest (5)`;
    const { body } = await send({ format: 'bloxlink', text, dryRun: false });
    expect(body.created).to.have.length(1);
    const [mapping] = await stored();
    const condition = { type: 'group_roles', groupId: guild.groupId, match: 'name' };
    expect(mapping).to.deep.include({ roleIds: [], condition });
    expect(body.refused.map(({ line, code }: Record<string, unknown>) => [line, code])).to.deep.equal([
      [4, 'unsupported'],
    ]);
  });

  it('A mapping import reads RoVer’s output and reports a name that several roles share', async () => {
    const text = `Officer <${officer}>\n# Group ${guild.groupId}\nRanks 100-255`;
    expect((await send({ format: 'rover', text })).body.created[0].mapping.condition).to.deep.equal({
      ...{ type: 'group_rank', groupId: guild.groupId, min: 100, max: 255 },
    });
    await known(await addRole(guild, { name: 'Officer' }));
    const { body } = await send(csv(',verified,,,,,@Officer', ',verified,,,,,@everyone', ',verified,,,,,'));
    expect(body.refused.map(({ code }: { code: string }) => code)).to.deep.equal([
      'role_ambiguous',
      'role_not_found',
      'invalid_request',
    ]);
  });

  // CONF-45
  it('A mapping import refuses a text without a single bind in one sentence', async () => {
    const text = Array.from({ length: 27 }, (_, line) => `role-${line} = rank ${line}`).join('\n');
    for (const [format, bot] of Object.entries({ bloxlink: 'Bloxlink', rover: 'RoVer', rowifi: 'RoWifi' })) {
      const { status, body } = await send({ format, text });
      expect(status, format).to.equal(400);
      expect(body.errors).to.have.length(1);
      expect(body.errors[0]).to.have.property('path', 'text');
      expect(body.errors[0].message).to.contain(`isn't in a form that Rolelink reads from ${bot}`);
    }
  });
});

describe('Limits of mapping imports', () => {
  useGuild();

  it('A mapping import keeps the rules of mappings: only admins map dangerous roles, and the bot’s role is refused', async () => {
    const dangerous = discord.addRole(guild.guildId, { name: 'Mod', permissions: PermissionFlagsBits.BanMembers }).id;
    await known(dangerous);
    const botRole = discord.botRole(guild.guildId).id;
    const wish = { ...csv(`,verified,,,,,${dangerous}`, `,verified,,,,,${botRole}`), dryRun: false };
    const codes = ({ body }: { body: { refused: { code: string }[] } }) => body.refused.map(({ code }) => code);
    expect(codes(await send(wish))).to.deep.equal(['forbidden', 'forbidden']);
    expect(await stored()).to.deep.equal([]);
    expect(codes(await send(wish, guild.api))).to.deep.equal(['role_unmanageable']);
    expect((await stored()).map(({ roleIds }) => roleIds)).to.deep.equal([[dangerous]]);
    expect((await send(wish, api(await tokenFor(guild.guildId, 'viewer')))).status).to.equal(403);
  });

  it('A mapping import does all or nothing at the limit of the plan, also for simultaneous imports', async () => {
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { plan: 'free' } });
    const ranked = (from: number, count: number) =>
      csv(...Array.from({ length: count }, (_, n) => `,group_rank,${guild.groupId},${from + n},255,,Officer`));
    const tooMany = await send(ranked(1, 11));
    expect(tooMany.body.limits).to.deep.equal({ mappings: { used: 0, adding: 11, limit: 10 }, fits: false });
    const refused = await send({ ...ranked(1, 11), dryRun: false });
    expect([refused.status, refused.body.code]).to.deep.equal([402, 'plan_limit_reached']);
    expect(await stored()).to.deep.equal([]);
    const answers = await Promise.all([1, 5, 9, 13, 17].map((from) => send({ ...ranked(from, 4), dryRun: false })));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 200, 402, 402, 402]);
    expect(await stored()).to.have.length(8);
  });

  it('A mapping import attaches the groups that it names, on wish', async () => {
    const { id } = roblox.addGroup({ name: 'Fresh' });
    const wish = { ...csv(`,group_member,${id},,,,Officer`, ',group_member,987654321,,,,Officer'), addGroups: true };
    const seen = await send(wish);
    expect(seen.body.addedGroups).to.deep.equal([id]);
    expect(seen.body.refused.map(({ line, code }: Record<string, unknown>) => [line, code])).to.deep.equal([
      [3, 'game_group_not_found'],
    ]);
    expect(await LinkedGroups.count({ guildId: guild.guildId })).to.equal(1);
    expect((await send({ ...wish, dryRun: false })).body.created).to.have.length(1);
    expect(await LinkedGroups.findOne({ guildId: guild.guildId, groupId: id })).to.include({ name: 'Fresh' });
    expect(await stored()).to.have.length(1);
    expect(await AuditLog.count({ guildId: guild.guildId, action: 'group.added', 'target.id': id })).to.equal(1);
  });

  // CONF-20
  it('A mapping import counts for the plan’s limit only groups that are on Roblox and that a new mapping names', async () => {
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { plan: 'free' } });
    const [one, two, three] = [
      roblox.addGroup({ name: 'Named' }).id,
      roblox.addGroup({ name: 'Named' }).id,
      roblox.addGroup({ name: 'Named' }).id,
    ];
    const attaching = async (...groupIds: (string | undefined)[]) =>
      send({ ...csv(...groupIds.map((groupId) => `,group_member,${groupId},,,,Officer`)), addGroups: true });
    const fits = await attaching(one, two, '911', '912', '913');
    expect([fits.status, fits.body.addedGroups], JSON.stringify(fits.body)).to.deep.equal([200, [one, two]]);
    expect(fits.body.refused.map(({ code }: { code: string }) => code)).to.deep.equal(
      Array(3).fill('game_group_not_found'),
    );
    const unfit = await send({
      ...csv(`,group_member,${one},,,,Officer`, `,group_member,${two},,,,Officer`, `,group_member,${three},,,,Nobody`),
      addGroups: true,
    });
    expect([unfit.status, unfit.body.addedGroups], 'the third line is refused').to.deep.equal([200, [one, two]]);
    const { status, body } = await attaching(one, two, three);
    expect([status, body.code]).to.deep.equal([402, 'plan_limit_reached']);
    expect(body.detail).to.contain('3 groups');
  });
});
