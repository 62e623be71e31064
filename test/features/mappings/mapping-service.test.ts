import { expect } from 'chai';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { enabledMappings, listAllMappings } from '../../../src/features/mappings/mapping-service.js';
import { api } from '../../support/api.js';
import { buildGuild, type TestGuild, tokenFor } from '../../support/build.js';
import { factsWhere } from '../../support/events.js';
import { world } from '../../support/world.js';

const verified = { type: 'verified' };

/** A guild with two roles that the bot can give. */
async function guildWithRoles(): Promise<TestGuild & { roleIds: [string, string] }> {
  const { discord } = await world();
  const guild = await buildGuild();
  const first = discord.addRole(guild.guildId, { name: 'First' }).id;
  const second = discord.addRole(guild.guildId, { name: 'Second' }).id;
  await factsWhere(guild.guildId, ({ roles }) => roles.has(second), 'the roles');
  return { ...guild, roleIds: [first, second] };
}

async function storedIds({ guildId }: TestGuild): Promise<string[]> {
  return (await listAllMappings(guildId)).map((mapping) => mapping._id);
}

describe('New mappings', () => {
  it('The API stores a mapping with its defaults, shows it and writes it down', async () => {
    const guild = await guildWithRoles();
    const { roleIds } = guild;
    const answer = await guild.api.post(`${guild.path}/mappings`, { condition: verified, roleIds });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    const { mappingId, createdAt, updatedAt, ...shown } = answer.body;
    expect(mappingId).to.match(/^map_[0-9a-f]{24}$/);
    expect(updatedAt).to.equal(createdAt);
    const made = { name: null, condition: verified, roleIds, nickname: null, removeWhenUnmatched: true, enabled: true };
    expect(shown).to.deep.equal({ ...made, people: null, status: 'ok', warnings: [] });
    const times = { createdAt: new Date(createdAt), updatedAt: new Date(createdAt) };
    const stored = await enabledMappings(guild.guildId);
    expect(stored.map(({ outbox: _, ...rest }) => rest)).to.deep.equal([
      { _id: mappingId, guildId: guild.guildId, ...made, ...times },
    ]);
    const [entry] = await latestEntries(guild.guildId, 1);
    expect(entry).to.deep.include({ action: 'mapping.created', target: { kind: 'mapping', id: mappingId } });
    expect(entry?.requestId).to.equal(answer.headers.get('x-request-id'));
    expect(entry?.changes).to.deep.equal({
      condition: { from: null, to: 'verified' },
      roleIds: { from: null, to: roleIds },
      removeWhenUnmatched: { from: null, to: true },
      enabled: { from: null, to: true },
    });
  });

  // MAP-12
  it('The API refuses a bad body for a mapping with every issue', async () => {
    const guild = await guildWithRoles();
    const [roleId] = guild.roleIds;
    const cases: [unknown, string[]][] = [
      [{}, ['condition']],
      [{ condition: verified, roleIds: [] }, ['roleIds']],
      [{ condition: verified, roleIds: [roleId, roleId] }, ['roleIds']],
      [{ condition: verified, roleIds: [roleId, 7] }, ['roleIds.1']],
      [
        { condition: verified, roleIds: Array.from({ length: 11 }, (_, i) => `1000000000000000${i + 10}`) },
        ['roleIds'],
      ],
      [
        { condition: { type: 'nobody' }, roleIds: ['x'], name: 7, enabled: 'yes', color: 1 },
        ['condition.type', 'roleIds.0', 'name', 'enabled', 'color'],
      ],
      [{ condition: { type: 'not', of: { type: 'not' } }, roleIds: [roleId] }, ['condition.of.of']],
    ];
    for (const [body, paths] of cases) {
      const answer = await guild.api.post(`${guild.path}/mappings`, body);
      expect(answer.status).to.equal(400);
      expect(answer.body.errors.map((issue: { path: string }) => issue.path)).to.have.members(paths);
    }
    expect(await storedIds(guild)).to.deep.equal([]);
  });

  it('The API makes exactly as many mappings as the plan allows, also for simultaneous requests', async () => {
    const guild = await guildWithRoles();
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { plan: 'free' } });
    const draft = { condition: verified, roleIds: guild.roleIds };
    const asked = await Promise.all(Array.from({ length: 50 }, () => guild.api.post(`${guild.path}/mappings`, draft)));
    const refused = asked.filter(({ status }) => status === 402);
    expect(asked.filter(({ status }) => status === 201)).to.have.length(10);
    expect(refused.map(({ body }) => body.code)).to.deep.equal(Array(40).fill('plan_limit_reached'));
    expect(refused[0]?.body.detail).to.contain('10 mappings');
    const ids = await storedIds(guild);
    expect(ids).to.have.length(10);
    const made = (await latestEntries(guild.guildId, 100)).filter(({ action }) => action === 'mapping.created');
    expect(made).to.have.length(10);

    await guild.api.delete(`${guild.path}/mappings/${ids[0]}`);
    expect((await guild.api.post(`${guild.path}/mappings`, draft)).status).to.equal(201);
  });
});

describe('Changed mappings', () => {
  it('A PUT replaces the whole mapping and logs the changes', async () => {
    const { roblox } = await world();
    const guild = await guildWithRoles();
    const game = roblox.addGroup({ name: 'Builders' });
    await guild.api.post(`${guild.path}/groups`, { groupId: game.id });
    const [first, second] = guild.roleIds;
    const draft = { name: ' People ', condition: verified, roleIds: [first], enabled: false };
    const { body: made } = await guild.api.post(`${guild.path}/mappings`, draft);
    expect(made.name).to.equal('People');
    const condition = { type: 'group_rank', groupId: game.id, min: 10, max: 20 };
    const path = `${guild.path}/mappings/${made.mappingId}`;
    const { status, body } = await guild.api.put(path, { condition, roleIds: [first, second] });
    expect(status, JSON.stringify(body)).to.equal(200);
    const after = { name: null, condition, roleIds: [first, second], removeWhenUnmatched: true, enabled: true };
    expect(body).to.deep.include({ ...after, mappingId: made.mappingId, createdAt: made.createdAt });
    expect(Date.parse(body.updatedAt)).to.be.at.least(Date.parse(made.updatedAt));
    const [stored] = await enabledMappings(guild.guildId);
    expect(stored).to.deep.include({ _id: made.mappingId, ...after });
    const [entry] = await latestEntries(guild.guildId, 1);
    expect(entry?.action).to.equal('mapping.updated');
    expect(entry?.changes).to.deep.equal({
      name: { from: 'People', to: null },
      condition: { from: 'verified', to: 'rank 10–20 in Builders' },
      roleIds: { from: [first], to: [first, second] },
      enabled: { from: false, to: true },
    });
  });

  it('A PUT that changes nothing of a mapping writes nothing', async () => {
    const guild = await guildWithRoles();
    const draft = { name: 'Same', condition: verified, roleIds: guild.roleIds };
    const { body: made } = await guild.api.post(`${guild.path}/mappings`, draft);
    const { status, body } = await guild.api.put(`${guild.path}/mappings/${made.mappingId}`, draft);
    expect(status).to.equal(200);
    expect(body).to.deep.equal(made);
    const actions = (await latestEntries(guild.guildId, 10)).map(({ action }) => action);
    expect(actions).to.deep.equal(['mapping.created', 'guild.joined']);
  });
});

describe('Removed mappings', () => {
  it('A DELETE removes the mapping once and logs its former content', async () => {
    const guild = await guildWithRoles();
    const draft = { name: 'Short-lived', condition: verified, roleIds: guild.roleIds };
    const { body: made } = await guild.api.post(`${guild.path}/mappings`, draft);
    const path = `${guild.path}/mappings/${made.mappingId}`;
    const answers = await Promise.all([guild.api.delete(path), guild.api.delete(path), guild.api.delete(path)]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([204, 404, 404]);
    expect(await storedIds(guild)).to.deep.equal([]);
    const [entry, ...earlier] = await latestEntries(guild.guildId, 10);
    expect(earlier.map(({ action }) => action)).to.deep.equal(['mapping.created', 'guild.joined']);
    expect(entry).to.deep.include({
      action: 'mapping.removed',
      target: { kind: 'mapping', id: made.mappingId, name: 'Short-lived' },
    });
    expect(entry?.changes?.roleIds).to.deep.equal({ from: guild.roleIds, to: null });
  });
});

describe('Mappings of other callers', () => {
  it('Mappings of another guild and unknown ids are not found, and nothing changes', async () => {
    const [guild, other] = await Promise.all([guildWithRoles(), guildWithRoles()]);
    const { body: made } = await guild.api.post(`${guild.path}/mappings`, {
      condition: verified,
      roleIds: guild.roleIds,
    });
    const hex = made.mappingId.slice(4);
    const draft = { condition: { type: 'unverified' }, roleIds: other.roleIds };
    for (const id of [made.mappingId, `map_${'0'.repeat(24)}`, `job_${hex}`, hex, 'null']) {
      const path = `${other.path}/mappings/${id}`;
      for (const answer of [await other.api.put(path, draft), await other.api.delete(path)]) {
        const { status, body } = answer;
        expect({ id, status, code: body.code }).to.deep.equal({ id, status: 404, code: 'mapping_not_found' });
      }
    }
    expect((await enabledMappings(guild.guildId))[0]?.condition).to.deep.equal(verified);
    expect((await guild.api.put(`${guild.path}/mappings/job_${hex}`, draft)).body.code).to.equal('mapping_not_found');
  });

  it('Managers write mappings, and viewers only read them', async () => {
    const guild = await guildWithRoles();
    const draft = { condition: verified, roleIds: guild.roleIds };
    const { body: made } = await guild.api.post(`${guild.path}/mappings`, draft);
    const viewer = api(await tokenFor(guild.guildId, 'viewer'));
    const path = `${guild.path}/mappings/${made.mappingId}`;
    const refused = [
      await viewer.post(`${guild.path}/mappings`, draft),
      await viewer.put(path, draft),
      await viewer.delete(path),
    ];
    expect(refused.map(({ status }) => status)).to.deep.equal([403, 403, 403]);
    expect((await viewer.get(`${guild.path}/mappings`)).body.data).to.deep.equal([made]);
  });
});

describe('The list of mappings', () => {
  it('The mapping list shows each mapping once, oldest first, while others are made and removed', async () => {
    const guild = await guildWithRoles();
    const draft = { condition: verified, roleIds: guild.roleIds };
    const make = async (): Promise<string> => (await guild.api.post(`${guild.path}/mappings`, draft)).body.mappingId;
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push(await make());
    ids.sort();
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '?limit=2' : `?limit=2&cursor=${cursor}`;
      const { body } = await guild.api.get(`${guild.path}/mappings${query}`);
      seen.push(...body.data.map((mapping: { mappingId: string }) => mapping.mappingId));
      cursor = body.nextCursor;
      if (seen.length === 2) {
        await guild.api.delete(`${guild.path}/mappings/${seen[1]}`);
        await make();
      }
    }
    expect(new Set(seen).size).to.equal(seen.length);
    expect(seen).to.include.members(ids);
    expect(seen).to.deep.equal([...seen].sort());
  });
});
