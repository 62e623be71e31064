import { expect } from 'chai';
import { clock } from '../../../src/lib/clock.js';
import { errorBody, field, list, newName, RobloxFixture } from './roblox-fixture.js';

describe('Roblox sandbox: the log of a group', () => {
  const roblox = new RobloxFixture({ legacyPerMinute: 1 });
  const build = () => {
    const group = roblox.sandbox.addGroup({ name: newName() });
    const { id: userId } = roblox.sandbox.addUser({ username: newName() });
    const read = (query = '') => roblox.get(path(group.id, query), { 'x-api-key': roblox.sandbox.apiKey });
    return { group, userId, read };
  };
  const path = (groupId: string, query = '') => `/apis/legacy-groups/v1/groups/${groupId}/audit-log?limit=100${query}`;
  afterEach(() => roblox.sandbox.mendKey());

  it('The sandbox shows a group’s log to a key with the scope if the key’s owner may see it', async () => {
    const { group, read } = build();
    expect((await roblox.get(path(group.id))).status).to.equal(401);
    const refused = await read();
    expect([refused.status, refused.body]).to.deep.equal([
      403,
      errorBody(23, 'Insufficient permissions to complete the request.'),
    ]);
    roblox.sandbox.showGroupLog(group.id);
    expect((await read()).status).to.equal(200);
    roblox.sandbox.setKey({ scopes: ['group:read'] });
    expect((await read()).status).to.equal(401);
  });

  it('The sandbox’s group log lists joins, ranks and leaves, the newest first when asked', async () => {
    const { group, userId, read } = build();
    roblox.sandbox.showGroupLog(group.id);
    roblox.sandbox.setRank(group.id, userId, 1);
    roblox.sandbox.setRank(group.id, userId, 100);
    roblox.sandbox.setRank(group.id, userId, 100);
    roblox.sandbox.leaveGroup(group.id, userId);
    const { body } = await read('&sortOrder=Desc');
    const lines = list(body, 'data');
    expect(lines.map((line) => field(line, 'actionType'))).to.deep.equal(['LeaveGroup', 'ChangeRank', 'JoinGroup']);
    expect(field(lines[0], 'actor', 'user', 'userId')).to.equal(Number(userId));
    expect(field(lines[1], 'description', 'TargetId')).to.equal(Number(userId));
    const oldest = list((await read()).body, 'data');
    expect(oldest.map((line) => field(line, 'actionType'))).to.deep.equal(['JoinGroup', 'ChangeRank', 'LeaveGroup']);
  });

  it('The sandbox’s group log comes in pages, by action too, 100 calls a minute', async () => {
    clock.freeze(new Date());
    const { group, read } = build();
    roblox.sandbox.showGroupLog(group.id);
    for (let index = 0; index < 120; index += 1) {
      const { id } = roblox.sandbox.addUser({ username: newName() });
      roblox.sandbox.setRank(group.id, id, index % 2 ? 1 : 100);
    }
    const first = await read();
    const cursor = field(first.body, 'nextPageCursor');
    const second = await read(`&cursor=${cursor}`);
    expect([list(first.body, 'data').length, list(second.body, 'data').length]).to.deep.equal([100, 20]);
    expect(field(second.body, 'nextPageCursor')).to.equal(undefined);
    expect((await read('&cursor=nonsense')).status).to.equal(400);
    expect(list((await read('&actionType=ChangeRank')).body, 'data')).to.deep.equal([]);
    expect(second.headers.get('x-ratelimit-limit')).to.equal('100, 100;w=60');
  });
});
