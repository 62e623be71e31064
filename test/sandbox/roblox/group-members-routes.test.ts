import { expect } from 'chai';
import { field, list, newName, RobloxFixture } from './roblox-fixture.js';

describe('Roblox sandbox: paged member lists', () => {
  const roblox = new RobloxFixture();
  let path = '';
  let rolePath = '';
  let memberIds: number[] = [];
  let officerIds: number[] = [];

  before(() => {
    const group = roblox.sandbox.addGroup({ name: 'Paged' });
    const users = [...Array(35).keys()].map(() => roblox.sandbox.addUser({ username: newName() }));
    for (const [at, user] of users.entries()) roblox.sandbox.setRank(group.id, user.id, at % 2 ? 100 : 1);
    const officer = group.roles.find(({ rank }) => rank === 100);
    path = `/groups/v1/groups/${group.id}/users`;
    rolePath = `/groups/v1/groups/${group.id}/roles/${officer?.id}/users`;
    memberIds = users.map(({ id }) => Number(id));
    officerIds = memberIds.filter((_, at) => at % 2 === 1);
  });

  async function allPages(start: string, userId: (entry: unknown) => unknown): Promise<unknown[][]> {
    const pages: unknown[][] = [];
    let cursor: unknown = '';
    do {
      const suffix = cursor ? `&cursor=${encodeURIComponent(String(cursor))}` : '';
      const { body } = await roblox.get(`${start}${suffix}`);
      pages.push(list(body, 'data').map(userId));
      cursor = field(body, 'nextPageCursor');
    } while (cursor);
    return pages;
  }

  it('The sandbox’s member list gives every member once, in order, in pages of the asked size', async () => {
    const pages = await allPages(`${path}?limit=25`, (entry) => field(entry, 'user', 'userId'));
    expect(pages.map((page) => page.length)).to.deep.equal([25, 10]);
    expect(pages.flat()).to.deep.equal(memberIds);
  });

  it('The sandbox’s member list gives ten by default, and the newest first when asked', async () => {
    const pages = await allPages(`${path}?sortOrder=Desc`, (entry) => field(entry, 'user', 'userId'));
    expect(pages.map((page) => page.length)).to.deep.equal([10, 10, 10, 5]);
    expect(pages.flat()).to.deep.equal([...memberIds].reverse());
  });

  it('The Roblox sandbox lists the members of one role', async () => {
    const pages = await allPages(`${rolePath}?limit=10`, (entry) => field(entry, 'userId'));
    expect(pages.flat()).to.deep.equal(officerIds);
  });

  for (const order of ['Asc', 'Desc']) {
    it(`The sandbox’s member list goes back by the previous cursor (${order})`, async () => {
      const first = await roblox.get(`${path}?sortOrder=${order}`);
      expect(field(first.body, 'previousPageCursor')).to.equal(null);
      const second = await roblox.get(`${path}?sortOrder=${order}&cursor=${field(first.body, 'nextPageCursor')}`);
      const back = await roblox.get(`${path}?sortOrder=${order}&cursor=${field(second.body, 'previousPageCursor')}`);
      expect(back.body).to.deep.equal(first.body);
    });
  }

  it('The sandbox’s member list neither repeats nor skips members while others come and go between pages', async () => {
    const group = roblox.sandbox.addGroup({ name: 'Restless' });
    const join = () => {
      const user = roblox.sandbox.addUser({ username: newName() });
      roblox.sandbox.setRank(group.id, user.id, 1);
      return user;
    };
    const members = [...Array(15).keys()].map(join);
    const start = `/groups/v1/groups/${group.id}/users`;
    const first = await roblox.get(start);
    for (const user of members.slice(0, 3)) roblox.sandbox.leaveGroup(group.id, user.id);
    const late = join();
    const second = await roblox.get(`${start}?cursor=${field(first.body, 'nextPageCursor')}`);
    const seen = [...list(first.body, 'data'), ...list(second.body, 'data')].map((entry) =>
      field(entry, 'user', 'userId'),
    );
    expect(seen).to.deep.equal([...members, late].map(({ id }) => Number(id)));
  });

  it('The sandbox’s member list answers an unknown role with 403 and code 2', async () => {
    const answer = await roblox.get(rolePath.replace(/roles\/\d+/, 'roles/1'));
    expect(answer.status).to.equal(403);
    expect(field(answer.body, 'errors', 0, 'code')).to.equal(2);
  });

  it('The sandbox’s member list answers a made-up or foreign cursor with 400 and code 36', async () => {
    const { body } = await roblox.get(path);
    const cursor = field(body, 'nextPageCursor');
    for (const bad of [
      `${path}?cursor=abc`,
      `${path}?sortOrder=Desc&cursor=${cursor}`,
      `${rolePath}?cursor=${cursor}`,
    ]) {
      const answer = await roblox.get(bad);
      expect(answer.status).to.equal(400);
      expect(field(answer.body, 'errors', 0, 'code')).to.equal(36);
    }
  });
});

describe('Roblox sandbox: paged member lists, bad requests', () => {
  const roblox = new RobloxFixture({ checked: false });

  it('The sandbox’s member list accepts no other page size than 10, 25, 50 and 100', async () => {
    const group = roblox.sandbox.addGroup({ name: 'Sizes' });
    expect((await roblox.get(`/groups/v1/groups/${group.id}/users?limit=20`)).status).to.equal(400);
    expect((await roblox.get(`/groups/v1/groups/${group.id}/users?limit=100`)).status).to.equal(200);
  });
});
