import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { parse, stringify } from 'yaml';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { giveTeamRole } from '../../commands/team.js';
import { asPerson } from '../../support/api.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildMember, eventually, type TestPerson } from '../../support/build.js';
import { factsWhere } from '../../support/events.js';
import { type World, world } from '../../support/world.js';
import { addRole, buildGroupGuild, buildSettledMember, type GroupGuild, mapTo, rankFrom } from '../sync/sync-setup.js';

const manageRoles = PermissionFlagsBits.ManageRoles;

// CONF-4, CONF-5, CONF-7
describe('The configuration as a document', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: GroupGuild;
  let path: string;
  let person: TestPerson;

  beforeEach(async () => {
    ({ discord, roblox } = await world());
    guild = await buildGroupGuild();
    path = `${guild.path}/config`;
    const [roleId = ''] = [await addRole(guild, { name: 'Verified' })];
    await mapTo(guild, { type: 'verified' }, { roleIds: [roleId] });
    await mapTo(guild, rankFrom(guild, 100));
    person = await buildSettledMember(guild);
  });

  const read = async () => (await guild.api.get(path)).body;
  const put = (body: unknown, query = '', headers: Record<string, string> = {}) =>
    guild.api.put(`${path}${query}`, body, headers);
  const entries = () => AuditLog.count({ guildId: guild.guildId });
  const changesOf = ({ body }: Awaited<ReturnType<typeof put>>) =>
    body.changes.map(({ change, kind, what }: Record<string, string>) => `${change} ${kind} ${what}`);

  // CONF-1, CONF-10
  it('The configuration document shows groups, mappings by role names, and settings, and changes nothing when given back', async () => {
    const config = await read();
    expect(config.groups).to.deep.equal([guild.groupId]);
    expect(config.mappings[0]).to.deep.equal({
      ...{ name: null, condition: { type: 'verified' }, roles: ['Verified'] },
      ...{ nickname: null, removeWhenUnmatched: true, enabled: true },
    });
    const before = await entries();
    const answer = await put(config);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    expect(answer.body).to.deep.include({ changes: [], dryRun: false, config });
    expect(await entries()).to.equal(before);
  });

  // CONF-10, CONF-15
  // CONF-3
  it('The configuration names a role by its id while another role has its name', async () => {
    const [{ id = '' } = {}] = discord.roles(guild.guildId).filter(({ name }) => name === 'Verified');
    const twin = await addRole(guild, { name: 'Verified' });
    expect((await read()).mappings[0].roles).to.deep.equal([id]);
    discord.updateRole(guild.guildId, twin, { name: 'Other' });
    await eventually(async () => (await read()).mappings[0].roles[0] === 'Verified', 'the name');
  });

  it('A dry run of a configuration returns the changes and the number of people; the write makes and logs exactly those', async () => {
    const config = await read();
    const other = roblox.addGroup({ name: 'Other' }).id;
    const [verified, officers] = config.mappings;
    const wish = {
      groups: [guild.groupId],
      mappings: [
        { ...verified, enabled: false },
        { name: 'New', condition: rankFrom(guild, 200), roles: ['Verified'] },
      ],
      settings: { ...config.settings, nickname: { enabled: true, template: 'X {gameUsername}' } },
    };
    const dry = await put(wish, '?dryRun=true');
    expect(dry.status, JSON.stringify(dry.body)).to.equal(200);
    expect(dry.body.config).to.deep.equal(config);
    expect(dry.body.people).to.deep.include({ changed: 1, isWhole: true });
    expect(changesOf(dry)).to.have.length(4);
    expect(changesOf(dry)[0]).to.match(/^\+ mapping New: rank 200–255 in Group of \d+ → Verified$/);
    expect(changesOf(dry)[1]).to.equal('~ mapping verified → Verified ⇒ verified → Verified, turned off');
    expect(changesOf(dry)[2]).to.match(/^- mapping rank 100–255/);
    expect(changesOf(dry)[3]).to.equal('~ setting nickname.template: "{gameUsername}" ⇒ "X {gameUsername}"');
    const before = await entries();
    const done = await put({ ...wish, groups: [guild.groupId, other] });
    expect(done.status, JSON.stringify(done.body)).to.equal(200);
    expect(changesOf(done)[0]).to.equal(`+ group Other (${other})`);
    expect((await entries()) - before).to.equal(5);
    const now = await read();
    expect(now).to.deep.equal(done.body.config);
    expect(now.groups).to.have.members([guild.groupId, other]);
    expect(now.mappings.map(({ name }: { name: string | null }) => name)).to.deep.equal([null, 'New']);
    expect(changesOf(await put(now))).to.deep.equal([]);
    expect(officers.roles).to.have.length(1);
  });

  // CONF-61
  it('A dry run names the other bots and whether the server would observe, which observe=true sets in the same change', async () => {
    const { id } = discord.addRole(guild.guildId, { name: 'Rover', permissions: manageRoles, managed: true });
    await factsWhere(guild.guildId, ({ roles }) => roles.has(id), 'the other bot');
    const wish = { ...(await read()), mappings: [] };
    const dry = await put(wish, '?dryRun=true');
    expect(dry.body).to.deep.include({ observing: false, otherBots: [{ name: 'Rover' }] });
    expect(changesOf(dry)).to.have.length(2);
    const observed = await put(wish, '?dryRun=true&observe=true');
    expect(observed.body.observing).to.equal(true);
    expect(changesOf(observed)).to.include('~ setting mode: "enforce" ⇒ "observe"').and.to.have.length(3);
    expect((await put(wish, '?observe=true')).body.config.settings.mode).to.equal('observe');
    expect((await read()).mappings).to.deep.equal([]);
    expect((await put(wish, '?observe=perhaps')).status).to.equal(400);
  });

  it('A change of a mapping that gives each rank its own role names no role', async () => {
    const condition = { type: 'group_roles', groupId: guild.groupId, match: 'name' };
    const { body: config } = await guild.api.get(path);
    const wish = { ...config, mappings: [...config.mappings, { condition, roles: [] }] };
    const [change] = changesOf(await guild.api.put(`${path}?dryRun=true`, wish));
    expect(change).to.match(/^\+ mapping each rank of Group of \d+, by name$/);
  });

  // CONF-2
  it('The API returns and accepts the configuration as YAML', async () => {
    const answer = await guild.api.get(path, { accept: 'application/yaml' });
    expect(answer.headers.get('content-type')).to.contain('application/yaml');
    const config = parse(answer.body);
    expect(config).to.deep.equal(await read());
    const text = stringify({ ...config, mappings: [] });
    const done = await put(text, '', { 'content-type': 'application/yaml' });
    expect(done.status, JSON.stringify(done.body)).to.equal(200);
    expect((await read()).mappings).to.deep.equal([]);
    const bad = await put('a: [', '', { 'content-type': 'application/yaml' });
    expect([bad.status, bad.body.code]).to.deep.equal([400, 'invalid_request']);
    const deep = await put('['.repeat(60_000), '', { 'content-type': 'application/yaml' });
    expect(deep.status).to.equal(400);
    const aliases = await put('a: &a [1]\nb: *a', '', { 'content-type': 'application/yaml' });
    expect(aliases.status).to.equal(400);
    expect((await put('x', '', { 'content-type': 'text/plain' })).status).to.equal(415);
  });

  it('A write with If-Match replaces only the configuration that the caller has seen', async () => {
    const answer = await guild.api.get(path);
    const etag = answer.headers.get('etag') ?? '';
    expect((await guild.api.get(path, { 'if-none-match': etag })).status).to.equal(304);
    const wish = { ...answer.body, mappings: [] };
    const [first, second] = [await put(wish, '', { 'if-match': etag }), await put(wish, '', { 'if-match': etag })];
    expect([first.status, second.status, second.body.code]).to.deep.equal([200, 412, 'version_mismatch']);
  });

  it('A configuration that breaks the rules of one single write is refused, and changes nothing', async () => {
    const config = await read();
    discord.addRole(guild.guildId, { name: 'Boss', position: 90 });
    const refused = async (change: object) => {
      const { status, body } = await put({ ...config, ...change });
      expect(await read()).to.deep.equal(config);
      return [status, body.code, ...(body.errors ?? []).map((issue: { path: string }) => issue.path)];
    };
    const mapping = { name: null, condition: { type: 'verified' }, roles: ['Nobody'] };
    expect(await refused({ mappings: [mapping] })).to.deep.equal([400, 'invalid_request', 'mappings.0']);
    expect(await refused({ mappings: [{ ...mapping, roles: ['Boss'] }] })).to.deep.equal([409, 'role_unmanageable']);
    expect(await refused({ groups: [] })).to.deep.equal([400, 'invalid_request', 'groups']);
    expect(await refused({ groups: [guild.groupId, '1'] })).to.deep.equal([400, 'invalid_request', 'groups.1']);
    const nickname = { enabled: true, template: '{groupRole:1}' };
    const settings = { ...config.settings, nickname };
    expect(await refused({ settings })).to.deep.equal([400, 'invalid_request', 'settings.nickname.template']);
    const foreign = { ...mapping, condition: { type: 'group_role', groupId: guild.groupId, gameRoleId: '9' } };
    expect(await refused({ mappings: [config.mappings[1], { ...foreign, roles: ['Verified'] }] })).to.deep.equal([
      ...[400, 'invalid_request', 'mappings.1'],
    ]);
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { plan: 'free' } });
    const many = Array.from({ length: 11 }, (_, n) => ({ ...mapping, name: `N ${n}`, roles: ['Verified'] }));
    expect(await refused({ mappings: many })).to.deep.equal([402, 'plan_limit_reached']);
  });

  it('Viewers read the configuration, only admins apply it, and members without a team role find nothing', async () => {
    await giveTeamRole(guild, person.chatUserId, 'viewer');
    const viewer = await asPerson(person);
    const { status, body } = await viewer.get(path);
    expect(status).to.equal(200);
    expect((await viewer.put(path, body)).status).to.equal(403);
    expect((await (await asPerson(await buildMember(guild))).get(path)).status).to.equal(404);
  });

  // CONF-8
  it('Applying a configuration keeps a mapping that has broken as it is', async () => {
    const role = discord.roles(guild.guildId).find(({ name }) => name === 'Verified');
    discord.deleteRole(guild.guildId, role?.id ?? '');
    const config = await read();
    const answer = await put({ ...config, mappings: [...config.mappings].reverse() });
    expect([answer.status, answer.body.changes]).to.deep.equal([200, []]);
  });
});
