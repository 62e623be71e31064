import { expect } from 'chai';
import { errorBody, field, list, newName, RobloxFixture } from './roblox-fixture.js';

const allArguments = 'includeLocked=false&includeNotificationPreferences=false&discoveryType=0';

describe('Roblox sandbox: groups', () => {
  const roblox = new RobloxFixture();

  function buildGroup() {
    const owner = roblox.sandbox.addUser({ username: newName() });
    const member = roblox.sandbox.addUser({ username: newName() });
    const group = roblox.sandbox.addGroup({ name: `Group of ${owner.username}`, ownerId: owner.id });
    roblox.sandbox.setRank(group.id, member.id, 1);
    return { owner, member, group };
  }

  it('The Roblox sandbox shows a group with its owner, and one without', async () => {
    const { owner, group } = buildGroup();
    const { body } = await roblox.get(`/groups/v1/groups/${group.id}`);
    expect(field(body, 'name')).to.equal(group.name);
    expect(field(body, 'memberCount')).to.equal(2);
    expect(field(body, 'owner', 'userId')).to.equal(Number(owner.id));
    const orphan = await roblox.get(`/groups/v1/groups/${roblox.sandbox.addGroup({ name: 'Orphan' }).id}`);
    expect(field(orphan.body, 'owner')).to.equal(null);
    expect(field(orphan.body, 'shout')).to.equal(null);
  });

  it('The Roblox sandbox lists a group’s roles from the lowest rank up, with how many hold each', async () => {
    const { group } = buildGroup();
    const role = roblox.sandbox.addGroupRole(group.id, { name: 'Veteran', rank: 50 });
    const { body } = await roblox.get(`/groups/v1/groups/${group.id}/roles`);
    const roles = list(body, 'roles').map((entry) => [
      field(entry, 'name'),
      field(entry, 'rank'),
      field(entry, 'memberCount'),
    ]);
    expect(roles).to.deep.equal([
      ['Guest', 0, 0],
      ['Member', 1, 1],
      ['Veteran', 50, 0],
      ['Officer', 100, 0],
      ['Owner', 255, 1],
    ]);
    expect(list(body, 'roles').map((entry) => field(entry, 'id'))).to.include(Number(role.id));
  });

  it('The Roblox sandbox answers an unknown group with 400 and code 1', async () => {
    for (const path of ['/groups/v1/groups/1', '/groups/v1/groups/1/roles', '/groups/v1/groups/1/users']) {
      const answer = await roblox.get(path);
      expect(answer.status).to.equal(400);
      expect(answer.body).to.deep.equal(errorBody(1, 'Group is invalid or does not exist.'));
    }
  });

  it('The sandbox’s older membership lists know only the highest of several roles', async () => {
    const { member, group } = buildGroup();
    const ids = group.roles.filter(({ rank }) => rank === 1 || rank === 100).map(({ id }) => id);
    roblox.sandbox.setGroupRoles(group.id, member.id, ids);
    const v1 = await roblox.get(`/groups/v1/users/${member.id}/groups/roles`);
    expect(field(v1.body, 'data', 0, 'role', 'rank')).to.equal(100);
    expect(field(v1.body, 'data', 0, 'group', 'name')).to.equal(group.name);
    const v2 = await roblox.get(`/groups/v2/users/${member.id}/groups/roles?${allArguments}`);
    const officer = group.roles.find(({ rank }) => rank === 100);
    expect(v2.body).to.deep.equal({
      data: [
        {
          group: { id: Number(group.id), name: group.name, memberCount: 2, hasVerifiedBadge: false },
          role: { id: Number(officer?.id), name: 'Officer', rank: 100 },
        },
      ],
    });
  });

  it('The Roblox sandbox forgets a membership when the member leaves or the group is removed', async () => {
    const { owner, member, group } = buildGroup();
    roblox.sandbox.leaveGroup(group.id, member.id);
    const left = await roblox.get(`/groups/v1/users/${member.id}/groups/roles`);
    expect(left.body).to.deep.equal({ data: [] });
    const { body } = await roblox.get(`/groups/v1/groups/${group.id}`);
    expect(field(body, 'memberCount')).to.equal(1);
    roblox.sandbox.removeGroup(group.id);
    expect((await roblox.get(`/groups/v1/groups/${group.id}`)).status).to.equal(400);
    expect((await roblox.get(`/groups/v1/users/${owner.id}/groups/roles`)).body).to.deep.equal({ data: [] });
  });

  it('The Roblox sandbox answers the groups of an unknown user with 400 and code 3', async () => {
    const answer = await roblox.get(`/groups/v2/users/1/groups/roles?${allArguments}`);
    expect(answer.status).to.equal(400);
    expect(field(answer.body, 'errors', 0, 'code')).to.equal(3);
  });

  it('The Roblox sandbox looks a group up by name, the exact match first', async () => {
    roblox.sandbox.addGroup({ name: 'Lantern Keepers' });
    const exact = roblox.sandbox.addGroup({ name: 'Lantern' });
    const { body } = await roblox.get('/groups/v1/groups/search/lookup?groupName=lantern');
    expect(list(body, 'data').map((group) => field(group, 'name'))).to.deep.equal(['Lantern', 'Lantern Keepers']);
    expect(field(body, 'data', 0, 'id')).to.equal(Number(exact.id));
  });

  it('The Roblox sandbox returns several groups in one answer and leaves out unknown ones', async () => {
    const { owner, group } = buildGroup();
    const { body } = await roblox.get(`/groups/v2/groups?groupIds=${group.id},1`);
    expect(list(body, 'data')).to.have.length(1);
    expect(field(body, 'data', 0, 'owner')).to.deep.equal({ id: Number(owner.id), type: 0 });
  });

  it('The Roblox sandbox refuses ranks, roles and users that do not exist', () => {
    const { member, group } = buildGroup();
    const { sandbox } = roblox;
    expect(() => sandbox.setRank(group.id, member.id, 77)).to.throw(/no role of rank 77/);
    expect(() => sandbox.setRank(group.id, member.id, 0)).to.throw(/Nobody holds Guest/);
    expect(() => sandbox.setRank(group.id, '1', 1)).to.throw(/no Roblox user 1/);
    expect(() => sandbox.setGroupRoles(group.id, member.id, ['1'])).to.throw(/no role 1/);
    expect(() => sandbox.setGroupRoles(group.id, member.id, [])).to.throw(/at least one role/);
    expect(() => sandbox.addGroupRole(group.id, { name: 'Too high', rank: 256 })).to.throw(/not a rank/);
  });
});

describe('Roblox sandbox: groups, bad requests', () => {
  const roblox = new RobloxFixture({ checked: false });

  it('The sandbox’s membership lists need all three arguments in v2, and true, false or 0–2 everywhere', async () => {
    const user = roblox.sandbox.addUser({ username: newName() });
    const path = `users/${user.id}/groups/roles`;
    expect((await roblox.get(`/groups/v2/${path}`)).status).to.equal(400);
    expect((await roblox.get(`/groups/v2/${path}?includeLocked=false&discoveryType=0`)).status).to.equal(400);
    expect((await roblox.get(`/groups/v1/${path}?discoveryType=7`)).status).to.equal(400);
    expect((await roblox.get(`/groups/v2/${path}?${allArguments}`)).status).to.equal(200);
  });

  const cases: [path: string, status: number, code: number][] = [
    ['/groups/v1/groups/search/lookup', 400, 1],
    [`/groups/v2/groups?groupIds=${[...Array(101).keys()]}`, 400, 2],
    ['/groups/v2/groups?groupIds=abc', 400, 3],
  ];
  for (const [path, status, code] of cases) {
    it(`The Roblox sandbox answers ${path.slice(0, 40)} with ${status} and code ${code}`, async () => {
      const answer = await roblox.get(path);
      expect(answer.status).to.equal(status);
      expect(field(answer.body, 'errors', 0, 'code')).to.equal(code);
    });
  }
});
