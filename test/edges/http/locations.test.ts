import { expect } from 'chai';
import { type Api, type ApiAnswer, api, asPerson } from '../../support/api.js';
import { buildGuild, buildMember, buildPerson, eventually, type TestGuild, tokenFor } from '../../support/build.js';
import { world } from '../../support/world.js';
import { allRoutes } from './http-setup.js';

// API-19
describe('The Location of created things', () => {
  let guild: TestGuild;
  let roleId: string;
  let groupId: string;

  before(async () => {
    const { discord, roblox } = await world();
    guild = await buildGuild();
    roleId = discord.addRole(guild.guildId, { name: 'Mapped' }).id;
    groupId = roblox.addGroup({ name: 'Builders' }).id;
    await eventually(async () => (await guild.api.get(`${guild.path}/roles/${roleId}`)).status === 200, 'the role');
  });

  /** Creates something and reads it where the answer says that it is. */
  async function createdAndRead(
    path: string,
    body: unknown,
    by: Api = guild.api,
  ): Promise<{ made: ApiAnswer; read: ApiAnswer }> {
    const made = await by.post(path, body);
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    const read = await guild.api.get(made.headers.get('location') ?? 'nowhere');
    expect(read.status, JSON.stringify(read.body)).to.equal(200);
    return { made, read };
  }

  it('A created group, mapping, webhook, token or verification is found at the Location of the answer', async () => {
    const condition = { type: 'verified' };
    const { chatUserId } = await buildMember(guild, { linked: false });
    for (const [path, body] of [
      [`${guild.path}/groups`, { groupId }],
      [`${guild.path}/mappings`, { condition, roleIds: [roleId], name: 'Everybody' }],
      ['/api/verification/session', { method: 'profile_code', chatUserId, guildId: guild.guildId }],
    ] as const) {
      const { made, read } = await createdAndRead(path, body);
      expect(read.body).to.deep.equal(made.body);
    }
    // An event that does not happen here: a sync would have a delivery waiting when read.
    const webhook = { url: 'https://example.com/hook', events: ['verification.completed'] };
    const secrets = [
      [`${guild.path}/webhooks`, webhook, 'secret'],
      [`${guild.path}/tokens`, { name: 'shown once', role: 'viewer' }, 'token'],
    ] as const;
    const owner = await asPerson({ chatUserId: guild.ownerId, username: 'owner' });
    for (const [path, body, secret] of secrets) {
      const { made, read } = await createdAndRead(path, body, owner);
      const { [secret]: shown, ...rest } = made.body;
      expect(shown).to.be.a('string');
      expect(read.body).to.deep.equal(rest);
    }
  });

  it('Every answer 201 and 202 that has a place names it in Location', async () => {
    const { chatUserId } = await buildPerson();
    const invited = await guild.api.post(`${guild.path}/team/invite`, { chatUserId, role: 'viewer' });
    expect(invited.headers.get('location')).to.equal(`${guild.path}/team/${chatUserId}`);
    const { body, headers, status } = await guild.api.post(`${guild.path}/resync`, {});
    expect({ status, location: headers.get('location') }).to.deep.equal({
      status: 202,
      location: `${guild.path}/resync/${body.jobId}`,
    });
  });

  it('A mapping, a group and a role can each be read alone as they are in their lists', async () => {
    const viewer = api(await tokenFor(guild.guildId, 'viewer'));
    for (const [list, id, query] of [
      ['mappings', 'mappingId', ''],
      ['groups', 'groupId', ''],
      ['roles', 'roleId', '?holders=true'],
    ] as const) {
      const { data } = (await viewer.get(`${guild.path}/${list}${query}`)).body;
      expect(data).not.to.deep.equal([]);
      for (const item of data) {
        expect((await viewer.get(`${guild.path}/${list}/${item[id]}`)).body).to.deep.equal(item);
      }
    }
  });

  it('Nothing is found under an id of another guild, or under none', async () => {
    const other = await buildGuild();
    for (const [path, code] of [
      [`mappings/map_${'0'.repeat(24)}`, 'mapping_not_found'],
      ['groups/999', 'group_not_found'],
      [`groups/x`, 'group_not_found'],
      [`roles/${other.guildId}`, 'role_not_found'],
      ['roles/x', 'role_not_found'],
      [`tokens/tok_${'0'.repeat(24)}`, 'token_not_found'],
    ]) {
      const { status, body } = await guild.api.get(`${guild.path}/${path}`);
      expect({ status, code: body.code }, path).to.deep.equal({ status: 404, code });
    }
  });

  it('The documentation of every 201 has a Location', async () => {
    const { paths } = (await api().get('/api/openapi.json')).body;
    const creating = allRoutes().filter(({ options }) => 201 in options.answers);
    expect(creating.length).to.be.above(6);
    for (const { path, method } of creating) {
      const operation = paths[path.replaceAll(/:(\w+)/g, '{$1}')][method.toLowerCase()];
      expect(operation.responses['201'].headers).to.have.property('Location');
    }
  });
});
