import { expect } from 'chai';
import type { SandboxGroup } from './game-group.js';
import { errorBody, field, list, newName, RobloxFixture } from './roblox-fixture.js';
import type { SandboxGameUser } from './user-directory.js';

describe('Roblox sandbox: Open Cloud', () => {
  const roblox = new RobloxFixture();
  let owner: SandboxGameUser;
  let group: SandboxGroup;

  const newUser = () => roblox.sandbox.addUser({ username: newName() });
  const roleOf = (rank: number) => {
    const role = group.roles.find((candidate) => candidate.rank === rank);
    if (!role) throw new Error(`The group has no rank ${rank}.`);
    return role;
  };
  const memberships = (query: Record<string, string>, groupId = group.id) =>
    roblox.cloud(`/groups/${groupId}/memberships?${new URLSearchParams(query)}`);
  const usersOf = (body: unknown) => list(body, 'groupMemberships').map((entry) => field(entry, 'user'));

  beforeEach(() => {
    owner = newUser();
    group = roblox.sandbox.addGroup({ name: 'Cloud', description: 'About clouds', ownerId: owner.id });
  });

  it('Sandbox Open Cloud shows a group', async () => {
    const { status, body } = await roblox.cloud(`/groups/${group.id}`);
    expect(status).to.equal(200);
    expect(field(body, 'path')).to.equal(`groups/${group.id}`);
    expect(field(body, 'displayName')).to.equal('Cloud');
    expect(field(body, 'owner')).to.equal(`users/${owner.id}`);
    expect(field(body, 'memberCount')).to.equal(1);
  });

  it('Sandbox Open Cloud pages the roles, ten unless asked otherwise and at most twenty', async () => {
    for (let rank = 2; rank <= 20; rank += 1) roblox.sandbox.addGroupRole(group.id, { name: `Rank ${rank}`, rank });
    const sizes = await Promise.all(
      ['', '?maxPageSize=0', '?maxPageSize=5', '?maxPageSize=500'].map(async (query) => {
        const { body } = await roblox.cloud(`/groups/${group.id}/roles${query}`);
        return list(body, 'groupRoles').length;
      }),
    );
    expect(sizes).to.deep.equal([10, 10, 5, 20]);
    const first = await roblox.cloud(`/groups/${group.id}/roles?maxPageSize=20`);
    const token = field(first.body, 'nextPageToken');
    const second = await roblox.cloud(`/groups/${group.id}/roles?maxPageSize=20&pageToken=${token}`);
    expect(field(second.body, 'nextPageToken')).to.equal(undefined);
    const ranks = [first, second].flatMap(({ body }) => list(body, 'groupRoles').map((role) => field(role, 'rank')));
    expect(ranks).to.deep.equal(group.roles.map(({ rank }) => rank));
  });

  it('Sandbox Open Cloud shows one role, with a member count unless it is Guest', async () => {
    const { id } = roleOf(255);
    const { body } = await roblox.cloud(`/groups/${group.id}/roles/${id}`);
    const path = `groups/${group.id}/roles/${id}`;
    expect(body).to.deep.equal({ path, id, displayName: 'Owner', rank: 255, memberCount: 1 });
    const guest = await roblox.cloud(`/groups/${group.id}/roles/${roleOf(0).id}`);
    expect(guest.body).not.to.have.property('memberCount');
  });

  it('Sandbox Open Cloud shows all roles of a member, and as role the highest', async () => {
    const member = newUser();
    roblox.sandbox.setGroupRoles(group.id, member.id, [roleOf(1).id, roleOf(100).id]);
    const { body } = await memberships({ filter: `user == 'users/${member.id}'` });
    expect(list(body, 'groupMemberships')).to.have.length(1);
    const [membership] = list(body, 'groupMemberships');
    const paths = [roleOf(100), roleOf(1)].map(({ id }) => `groups/${group.id}/roles/${id}`);
    expect(field(membership, 'role')).to.equal(paths[0]);
    expect(field(membership, 'roles')).to.deep.equal(paths);
    roblox.sandbox.setRank(group.id, member.id, 1);
    const demoted = await memberships({ filter: `user == 'users/${member.id}'` });
    expect(field(demoted.body, 'groupMemberships', 0, 'roles')).to.deep.equal([paths[1]]);
  });

  it('Sandbox Open Cloud filters by role, and finds a member under each of several roles', async () => {
    const [plain, both] = [newUser(), newUser()];
    roblox.sandbox.setRank(group.id, plain.id, 1);
    roblox.sandbox.setGroupRoles(group.id, both.id, [roleOf(1).id, roleOf(100).id]);
    const byRole = (rank: number) => memberships({ filter: `role == 'groups/${group.id}/roles/${roleOf(rank).id}'` });
    expect(usersOf((await byRole(1)).body)).to.deep.equal([`users/${plain.id}`, `users/${both.id}`]);
    expect(usersOf((await byRole(100)).body)).to.deep.equal([`users/${both.id}`]);
  });

  it('Sandbox Open Cloud pages the members: ten by default, at most 100, tokens bound to their arguments', async () => {
    const members = [owner, ...[...Array(120).keys()].map(newUser)];
    for (const user of members.slice(1)) roblox.sandbox.setRank(group.id, user.id, 1);
    expect(usersOf((await memberships({})).body)).to.have.length(10);
    const first = await memberships({ maxPageSize: '1000' });
    const pageToken = String(field(first.body, 'nextPageToken'));
    const second = await memberships({ maxPageSize: '1000', pageToken });
    expect([...usersOf(first.body), ...usersOf(second.body)]).to.deep.equal(members.map(({ id }) => `users/${id}`));
    expect(usersOf(first.body)).to.have.length(100);
    expect(field(second.body, 'nextPageToken')).to.equal(undefined);
    const filter = `user == 'users/${owner.id}'`;
    for (const changed of [{ maxPageSize: '50' }, { maxPageSize: '1000', filter }, {}]) {
      const answer = await memberships({ ...changed, pageToken });
      expect(answer.status).to.equal(400);
      expect(field(answer.body, 'code')).to.equal('INVALID_ARGUMENT');
    }
  });

  it('Sandbox Open Cloud lists the memberships of up to 50 users over all groups, and nothing for strangers', async () => {
    const users = [...Array(50).keys()].map(newUser);
    const other = roblox.sandbox.addGroup({ name: 'Other' });
    for (const user of users.slice(0, 30)) roblox.sandbox.setRank(group.id, user.id, 1);
    for (const user of users.slice(0, 2)) roblox.sandbox.setRank(other.id, user.id, 100);
    const filter = `user in [${users.map(({ id }) => `'users/${id}'`).join(', ')}]`;
    const whole = await memberships({ filter, maxPageSize: '100' }, '-');
    expect(usersOf(whole.body)).to.have.length(32);
    const first = await memberships({ filter, maxPageSize: '20' }, '-');
    const pageToken = String(field(first.body, 'nextPageToken'));
    const second = await memberships({ filter, maxPageSize: '20', pageToken }, '-');
    expect([...list(first.body, 'groupMemberships'), ...list(second.body, 'groupMemberships')]).to.deep.equal(
      list(whole.body, 'groupMemberships'),
    );
  });

  it('Sandbox Open Cloud refuses filters that Roblox does not document', async () => {
    const fiftyOne = `user in [${[...Array(51).keys()].map((id) => `'users/${id}'`)}]`;
    const refused: [filter: string, groupId: string][] = [
      [fiftyOne, '-'],
      ['', '-'],
      ["user == 'users/1'", '-'],
      ["role == 'groups/1/roles/2'", '-'],
      ['user in []', '-'],
      ["user in ['1']", '-'],
      ["user in ['users/1']", group.id],
      ["user != 'users/1'", group.id],
      ['user == users/1', group.id],
    ];
    for (const [filter, groupId] of refused) {
      const answer = await memberships({ filter }, groupId);
      expect(answer.status, `${groupId} ${filter}`).to.equal(400);
      expect(field(answer.body, 'code')).to.equal('INVALID_ARGUMENT');
    }
  });

  it('Sandbox Open Cloud shows a user and their thumbnail', async () => {
    const user = roblox.sandbox.addUser({ username: newName(), displayName: 'Shown', about: 'hello' });
    const { body } = await roblox.cloud(`/users/${user.id}`);
    expect(field(body, 'name')).to.equal(user.username);
    expect(field(body, 'displayName')).to.equal('Shown');
    expect(field(body, 'about')).to.equal('hello');
    expect(field(body, 'createTime')).to.equal(user.createdAt.toISOString());
    const thumbnail = await roblox.cloud(`/users/${user.id}:generateThumbnail?size=150&shape=SQUARE`);
    expect(field(thumbnail.body, 'done')).to.equal(true);
    expect((await roblox.get(String(field(thumbnail.body, 'response', 'imageUri')))).status).to.equal(200);
    expect((await roblox.cloud(`/users/${user.id}:generateThumbnail?size=1`)).status).to.equal(400);
  });

  it('Sandbox Open Cloud answers unknown things with 404 in its own form', async () => {
    for (const path of [
      '/groups/1',
      '/groups/1/roles',
      `/groups/${group.id}/roles/1`,
      '/groups/1/memberships',
      '/users/1',
    ]) {
      const answer = await roblox.cloud(path);
      expect(answer.status, path).to.equal(404);
      expect(field(answer.body, 'code'), path).to.equal('NOT_FOUND');
    }
  });

  it('Sandbox Open Cloud refuses every request without a good key or access token', async () => {
    const refused: [headers: Record<string, string>, message: string][] = [
      [{}, 'Invalid API Key'],
      [{ 'x-api-key': 'wrong' }, 'Invalid API Key'],
      [{ authorization: 'Bearer wrong' }, 'Invalid access token'],
    ];
    for (const [headers, message] of refused) {
      const answer = await roblox.cloud(`/groups/${group.id}`, headers);
      expect(answer.status).to.equal(401);
      expect(answer.body).to.deep.equal(errorBody(0, message));
    }
  });
});
