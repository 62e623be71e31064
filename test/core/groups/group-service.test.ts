import { expect } from 'chai';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { findGroups } from '../../../src/core/groups/group-service.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import type { SandboxGroup } from '../../sandbox/roblox/game-group.js';
import { api } from '../../support/api.js';
import { buildGuild, type TestGuild, tokenFor } from '../../support/build.js';
import { world } from '../../support/world.js';

async function gameGroup(name: string): Promise<SandboxGroup> {
  return (await world()).roblox.addGroup({ name });
}

async function storedIds({ guildId }: TestGuild): Promise<string[]> {
  return (await findGroups(guildId)).map((group) => group.groupId);
}

const setPlan = ({ guildId }: TestGuild, plan: string) => GuildRecord.updateOne({ _id: guildId }, { $set: { plan } });

describe('POST …/groups', () => {
  it('POST …/groups attaches a group by its id, shows its ranks, stores it and puts it into the log', async () => {
    const guild = await buildGuild();
    const game = await gameGroup('Builders');
    const answer = await guild.api.post(`${guild.path}/groups`, { groupId: game.id });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    const { addedAt, refreshedAt, ...shown } = answer.body;
    expect(shown).to.deep.equal({
      groupId: game.id,
      name: 'Builders',
      memberCount: 0,
      roles: game.roles.map(({ id, name, rank }) => ({ gameRoleId: id, name, rank })),
      gone: false,
      ranking: false,
    });
    expect(Date.now() - Date.parse(addedAt)).to.be.within(0, 60_000);
    expect(refreshedAt.slice(0, 16)).to.equal(addedAt.slice(0, 16));
    const [stored] = await findGroups(guild.guildId);
    expect(stored).to.deep.include({ guildId: guild.guildId, groupId: game.id, name: 'Builders', gone: false });
    const [entry] = await latestEntries(guild.guildId, 1);
    expect(entry).to.deep.include({ action: 'group.added', target: { kind: 'group', id: game.id, name: 'Builders' } });
    expect(entry?.actor).to.deep.include({ kind: 'bot_token', name: 'test owner' });
    expect(entry?.requestId).to.equal(answer.headers.get('x-request-id'));
  });

  for (const form of ['https://www.roblox.com/communities/ID/Some-Name#!/about', 'www.roblox.com/groups/ID']) {
    // MAP-17
    it(`POST …/groups accepts the address ${form}`, async () => {
      const guild = await buildGuild();
      const game = await gameGroup('By address');
      const answer = await guild.api.post(`${guild.path}/groups`, { url: form.replace('ID', game.id) });
      expect(answer.status).to.equal(201);
      expect(await storedIds(guild)).to.deep.equal([game.id]);
    });
  }

  const badBodies: [string, unknown, string[]][] = [
    ['nothing', {}, ['groupId']],
    ['both', { groupId: '1', url: 'https://www.roblox.com/groups/1' }, ['url']],
    ['a number', { groupId: 7 }, ['groupId']],
    ['letters', { groupId: 'seven' }, ['groupId']],
    ['an id past 2^53', { groupId: '9007199254740993' }, ['groupId']],
    ['another address', { url: 'https://example.com/groups/1' }, ['url']],
    ['an unknown field', { groupId: '1', name: 'x' }, ['name']],
  ];
  for (const [fault, body, paths] of badBodies) {
    it(`POST …/groups refuses ${fault}`, async () => {
      const guild = await buildGuild();
      const { status, body: problem } = await guild.api.post(`${guild.path}/groups`, body);
      expect({ status, code: problem.code }).to.deep.equal({ status: 400, code: 'invalid_request' });
      expect(problem.errors.map((issue: { path: string }) => issue.path)).to.include.members(paths);
      expect(await storedIds(guild)).to.deep.equal([]);
    });
  }

  it('POST …/groups refuses a group that Roblox does not know', async () => {
    const guild = await buildGuild();
    const { status, body } = await guild.api.post(`${guild.path}/groups`, { groupId: '999999999999' });
    expect({ status, code: body.code }).to.deep.equal({ status: 422, code: 'game_group_not_found' });
    expect(await storedIds(guild)).to.deep.equal([]);
  });

  // MAP-17
  it('POST …/groups refuses a group that is attached already, also for simultaneous requests', async () => {
    const guild = await buildGuild();
    const game = await gameGroup('Once');
    const asked = await Promise.all(
      Array.from({ length: 8 }, () => guild.api.post(`${guild.path}/groups`, { groupId: game.id })),
    );
    expect(asked.map(({ status }) => status).sort()).to.deep.equal([201, ...Array(7).fill(409)]);
    const refused = asked.filter(({ status }) => status === 409);
    expect(refused.map(({ body }) => body.code)).to.deep.equal(Array(7).fill('group_exists'));
    expect(await storedIds(guild)).to.deep.equal([game.id]);
    const actions = (await latestEntries(guild.guildId, 10)).map(({ action }) => action);
    expect(actions).to.deep.equal(['group.added', 'guild.joined']);
  });

  it('POST …/groups attaches nothing while Roblox is down', async () => {
    const guild = await buildGuild();
    const { roblox } = await world();
    const game = await gameGroup('Out of reach');
    const restore = roblox.inject({ match: new RegExp(`apis\\.roblox\\.com/cloud/v2/groups/${game.id}`), status: 503 });
    const { status, body } = await guild.api.post(`${guild.path}/groups`, { groupId: game.id }).finally(restore);
    expect({ status, code: body.code }).to.deep.equal({ status: 503, code: 'game_platform_unavailable' });
    expect(await storedIds(guild)).to.deep.equal([]);
  });

  it('POST …/groups attaches exactly as many as the plan allows, also for simultaneous requests', async () => {
    const guild = await buildGuild();
    await setPlan(guild, 'free');
    const games = await Promise.all(Array.from({ length: 12 }, (_, index) => gameGroup(`Group ${index}`)));
    const asked = await Promise.all(games.map(({ id }) => guild.api.post(`${guild.path}/groups`, { groupId: id })));
    const refused = asked.filter(({ status }) => status === 402);
    expect(asked.filter(({ status }) => status === 201)).to.have.length(3);
    expect(refused.map(({ body }) => body.code)).to.deep.equal(Array(9).fill('plan_limit_reached'));
    expect(refused[0]?.body.detail).to.contain('3 groups');
    expect(await storedIds(guild)).to.have.length(3);
  });

  it('POST …/groups requires the team role manager', async () => {
    const guild = await buildGuild();
    const game = await gameGroup('Not for viewers');
    const viewer = api(await tokenFor(guild.guildId, 'viewer'));
    const refused = await viewer.post(`${guild.path}/groups`, { groupId: game.id });
    expect(refused.status).to.equal(403);
    const manager = api(await tokenFor(guild.guildId, 'manager'));
    expect((await manager.post(`${guild.path}/groups`, { groupId: game.id })).status).to.equal(201);
    expect((await viewer.get(`${guild.path}/groups`)).body.data).to.have.length(1);
  });
});

describe('GET …/groups', () => {
  it('GET …/groups pages through the groups of the guild alone, each once, while others are added', async () => {
    const [guild, other] = await Promise.all([buildGuild(), buildGuild()]);
    const add = async (to: TestGuild, name: string): Promise<string> => {
      const { id } = await gameGroup(name);
      expect((await to.api.post(`${to.path}/groups`, { groupId: id })).status).to.equal(201);
      return id;
    };
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push(await add(guild, `Group ${index}`));
    await add(other, 'Elsewhere');
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '?limit=2' : `?limit=2&cursor=${cursor}`;
      const { status, body } = await guild.api.get(`${guild.path}/groups${query}`);
      expect(status).to.equal(200);
      seen.push(...body.data.map((group: { groupId: string }) => group.groupId));
      cursor = body.nextCursor;
      await add(guild, `Later ${seen.length}`);
    }
    expect(new Set(seen).size).to.equal(seen.length);
    expect(seen).to.include.members(ids);
    expect(seen).to.deep.equal([...seen].sort());
  });
});

describe('DELETE …/groups/:groupId', () => {
  /** A guild with a group, a role that the bot can give, and two mappings that name the group. */
  async function withMappings() {
    const { discord } = await world();
    const guild = await buildGuild();
    const game = await gameGroup('In use');
    await guild.api.post(`${guild.path}/groups`, { groupId: game.id });
    const { id: roleId } = discord.addRole(guild.guildId, { name: 'Member' });
    const map = async (name: string | null, condition: unknown): Promise<string> => {
      const { body } = await guild.api.post(`${guild.path}/mappings`, { name, condition, roleIds: [roleId] });
      return body.mappingId;
    };
    const member = { type: 'group_member', groupId: game.id };
    const users = [await map('Members', member), await map(null, { type: 'not', of: member })];
    const bystander = await map('Verified', { type: 'verified' });
    return { guild, game, users, bystander };
  }

  // API-68
  it('DELETE …/groups/:groupId refuses a group in use and names the mappings', async () => {
    const { guild, game } = await withMappings();
    const { status, body } = await guild.api.delete(`${guild.path}/groups/${game.id}`);
    expect({ status, code: body.code }).to.deep.equal({ status: 409, code: 'group_in_use' });
    expect(body.detail).to.contain('(Members; not (member of In use))');
    expect(await storedIds(guild)).to.deep.equal([game.id]);
    expect((await guild.api.get(`${guild.path}/mappings`)).body.data).to.have.length(3);
  });

  it('DELETE …/groups/:groupId with cascade removes the mappings that name the group, each with an entry in the log', async () => {
    const { guild, game, users, bystander } = await withMappings();
    expect((await guild.api.delete(`${guild.path}/groups/${game.id}?cascade=true`)).status).to.equal(204);
    expect(await storedIds(guild)).to.deep.equal([]);
    const { body } = await guild.api.get(`${guild.path}/mappings`);
    expect(body.data.map((mapping: { mappingId: string }) => mapping.mappingId)).to.deep.equal([bystander]);
    const entries = (await latestEntries(guild.guildId, 3)).map(({ action, target }) => [action, target.id]);
    expect(entries).to.have.deep.members([
      ['group.removed', game.id],
      ...users.map((mappingId) => ['mapping.removed', mappingId]),
    ]);
    const removed = (await latestEntries(guild.guildId, 3)).find(({ target }) => target.id === users[0]);
    expect(removed?.changes?.condition).to.deep.equal({ from: 'member of In use', to: null });
  });

  it('A group that is detached while it is being mapped leaves no mapping behind', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const { id: roleId } = discord.addRole(guild.guildId, { name: 'Member' });
    const game = await gameGroup('Contested');
    await guild.api.post(`${guild.path}/groups`, { groupId: game.id });
    const draft = { condition: { type: 'group_member', groupId: game.id }, roleIds: [roleId] };
    const [removed, ...mapped] = await Promise.all([
      guild.api.delete(`${guild.path}/groups/${game.id}`),
      ...Array.from({ length: 5 }, () => guild.api.post(`${guild.path}/mappings`, draft)),
    ]);
    const made = mapped.filter(({ status }) => status === 201).length;
    expect(mapped.filter(({ status }) => status === 400)).to.have.length(5 - made);
    expect(removed.status).to.equal(made > 0 ? 409 : 204);
    expect(await storedIds(guild)).to.deep.equal(made > 0 ? [game.id] : []);
    for (const mapping of (await guild.api.get(`${guild.path}/mappings`)).body.data) {
      expect(mapping.status).to.equal('ok');
    }
  });

  it('DELETE …/groups/:groupId finds neither another guild’s group nor a malformed id', async () => {
    const [{ guild, game }, other] = await Promise.all([withMappings(), buildGuild()]);
    for (const id of [game.id, 'map_000000000000000000000000', '0']) {
      const { status, body } = await other.api.delete(`${other.path}/groups/${id}?cascade=true`);
      expect({ id, status, code: body.code }).to.deep.equal({ id, status: 404, code: 'group_not_found' });
    }
    expect(await storedIds(guild)).to.deep.equal([game.id]);
    const { status } = await guild.api.delete(`${guild.path}/groups/${game.id}?cascade=yes`);
    expect(status).to.equal(400);
  });
});
