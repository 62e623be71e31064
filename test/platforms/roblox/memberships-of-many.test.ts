import { expect } from 'chai';
import { planMembershipReads } from '../../../src/platforms/roblox/membership-reads.js';
import { readMembershipsOfMany } from '../../../src/platforms/roblox/memberships.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { configFor, countRequests, expectUnavailable, useRobloxSandbox } from './roblox-setup.js';

describe('readMembershipsOfMany', () => {
  const sandbox = useRobloxSandbox({ openCloud: true });
  const cloudReads = () => countRequests(sandbox(), /\/memberships$/);
  const publicReads = () => countRequests(sandbox(), /\/v2\/users\/\d+\/groups\/roles$/);
  let names = 0;
  const addUsers = (count: number) =>
    Array.from({ length: count }, () => {
      names += 1;
      return sandbox().addUser({ username: `Person${names}` }).id;
    });

  /** A group with this many members, all with rank 1; returns its id and the members' ids. */
  const addGroup = (members: number) => {
    const { id } = sandbox().addGroup({ name: `Group of ${members}` });
    const ids = addUsers(members);
    for (const userId of ids) sandbox().setRank(id, userId, 1);
    return { id, ids };
  };

  // RESYNC-14
  it('readMembershipsOfMany reads 50 people a request when that is the cheapest, as planned', async () => {
    const large = addGroup(2_500);
    const people = [...large.ids.slice(0, 100), ...addUsers(20)];
    // The first read shows that these people are in one group each, not in 20; the plan builds on that.
    await readMembershipsOfMany(people, [large.id]);
    sandbox().forgetRequests();
    const found = await readMembershipsOfMany(people, [large.id]);
    expect(found.size).to.equal(120);
    expect([...found.values()].filter((roles) => roles.has(large.id))).to.have.length(100);
    const plan = planMembershipReads({
      users: 120,
      groups: [{ groupId: large.id, memberCount: 2_500 }],
      openCloud: true,
      groupsPerUser: 1,
    });
    expect(plan.way).to.equal('user_batches');
    expect(cloudReads()).to.equal(plan.requests).and.to.equal(3);
    expect(publicReads()).to.equal(0);
  });

  // RESYNC-14
  it('readMembershipsOfMany pages through all groups when that is cheaper, as planned', async () => {
    const [first, second] = [addGroup(250), addGroup(30)];
    const people = [...first.ids, ...second.ids, ...addUsers(220)];
    const plan = planMembershipReads({
      users: people.length,
      groups: [
        { groupId: first.id, memberCount: 250 },
        { groupId: second.id, memberCount: 30 },
      ],
      openCloud: true,
      groupsPerUser: 20,
    });
    expect(plan).to.deep.equal({ way: 'group_pages', requests: 4 });
    const found = await readMembershipsOfMany(people, [first.id, second.id]);
    expect(cloudReads()).to.equal(4);
    expect(found.size).to.equal(500);
    expect(first.ids.every((id) => found.get(id)?.get(first.id)?.[0]?.name === 'Member')).to.equal(true);
    expect(second.ids.every((id) => found.get(id)?.has(second.id) && !found.get(id)?.has(first.id))).to.equal(true);
    expect(people.slice(-220).every((id) => found.get(id)?.size === 0)).to.equal(true);
  });

  it('readMembershipsOfMany asks for people by name when the pages of a group showed too few', async () => {
    const { id, ids } = addGroup(150);
    const stranger = addUsers(1);
    const everybody = [...ids, ...stranger];
    sandbox().inject({ match: /\/memberships$/, corrupt: 'empty_data', times: 1 });
    const found = await readMembershipsOfMany(everybody, [id]);
    expect(ids.every((userId) => found.get(userId)?.has(id))).to.equal(true);
    expect(found.get(stranger[0] ?? '')?.size).to.equal(0);
    // One page that came out empty, then 151 people in four filters.
    expect(cloudReads()).to.equal(1 + 4);
  });

  it('readMembershipsOfMany does not read the groups first when paging cannot pay', async () => {
    const { id, ids } = addGroup(2);
    await readMembershipsOfMany(ids, [id]);
    // The one read of the group and its roles is for the role names.
    expect(
      sandbox()
        .requests.map(({ path }) => path)
        .sort(),
    ).to.deep.equal(['/cloud/v2/groups/-/memberships', `/cloud/v2/groups/${id}`, `/cloud/v2/groups/${id}/roles`]);
    expect(sandbox().requests[0]?.host).to.equal('apis.roblox.com');
  });

  it('readMembershipsOfMany reads several roles per member', async () => {
    const { id, ids } = addGroup(3);
    const roles = [20, 40].map((rank) => sandbox().addGroupRole(id, { name: `R${rank}`, rank }).id);
    sandbox().setGroupRoles(id, ids[0] ?? '', roles);
    const found = await readMembershipsOfMany(ids, [id]);
    expect(
      found
        .get(ids[0] ?? '')
        ?.get(id)
        ?.map(({ name }) => name),
    ).to.deep.equal(['R40', 'R20']);
    expect(
      found
        .get(ids[1] ?? '')
        ?.get(id)
        ?.map(({ name }) => name),
    ).to.deep.equal(['Member']);
  });

  it('readMembershipsOfMany treats deleted groups as groups without members', async () => {
    const { id, ids } = addGroup(2);
    sandbox().removeGroup(id);
    const found = await readMembershipsOfMany(ids, [id]);
    expect([...found.values()].map((roles) => roles.size)).to.deep.equal([0, 0]);
  });

  it('readMembershipsOfMany asks Roblox nothing when it is given no people or no group', async () => {
    expect((await readMembershipsOfMany([], ['1'])).size).to.equal(0);
    expect((await readMembershipsOfMany(['1', '2'], [])).size).to.equal(2);
    expect(sandbox().requests).to.have.length(0);
  });

  it('readMembershipsOfMany fails as a whole when any part fails', async () => {
    const { id, ids } = addGroup(120);
    sandbox().inject({ match: /\/memberships$/, status: 403, times: 1 });
    await expectUnavailable(readMembershipsOfMany(ids, [id]));
  });

  // RANK-27
  it('readMembershipsOfMany reads people one by one without a key, and leaves out unknown ones', async () => {
    configureRoblox(configFor(sandbox()));
    const { id, ids } = addGroup(30);
    const found = await readMembershipsOfMany([...ids, '999999999'], [id]);
    expect(found.size).to.equal(30);
    expect(ids.every((userId) => found.get(userId)?.get(id)?.[0]?.rank === 1)).to.equal(true);
    expect(publicReads()).to.equal(31);
    expect(cloudReads()).to.equal(0);
  });

  it('readMembershipsOfMany stops asking when a read of one person fails', async () => {
    configureRoblox(configFor(sandbox()));
    const { id, ids } = addGroup(40);
    sandbox().inject({ match: /\/v2\/users/, status: 403, times: 1 });
    await expectUnavailable(readMembershipsOfMany(ids, [id]));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(publicReads()).to.be.lessThan(10);
  });

  it('readMembershipsOfMany can be cancelled', async () => {
    const { id, ids } = addGroup(60);
    const outcome = await readMembershipsOfMany(ids, [id], { signal: AbortSignal.abort(new Error('cancelled')) }).catch(
      (error: unknown) => error,
    );
    expect(outcome).to.be.an('error').with.property('message', 'cancelled');
    expect(cloudReads()).to.equal(0);
  });
});
