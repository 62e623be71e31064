import { expect } from 'chai';
import { field, list, newName, RobloxFixture } from './roblox-fixture.js';
import { startRobloxSandbox } from './roblox-sandbox.js';

describe('Roblox sandbox: control', () => {
  const roblox = new RobloxFixture();

  it('The Roblox sandbox lists its control verbs with their parameters', async () => {
    const { body } = await roblox.get('/sandbox');
    const setRank = list(body).find((entry) => field(entry, 'request') === 'POST /sandbox/set-rank');
    expect(field(setRank, 'body', 'required')).to.deep.equal(['groupId', 'userId', 'rank']);
    expect(list(body)).to.have.length(22);
  });

  it('A whole life can be played over the control verbs, visible on Roblox’s real interface', async () => {
    const username = newName();
    const user = await roblox.postJson('/sandbox/add-user', { username, createdAt: '2021-01-01T00:00:00Z' });
    const userId = String(field(user.body, 'id'));
    const roles = [
      { name: 'Member', rank: 1 },
      { name: 'Chief', rank: 9 },
    ];
    const group = await roblox.postJson('/sandbox/add-group', { name: 'By HTTP', roles });
    const groupId = String(field(group.body, 'id'));
    const extra = await roblox.postJson('/sandbox/add-role', { groupId, name: 'Extra', rank: 5 });
    const done = (verb: string, body: object) =>
      roblox.postJson(`/sandbox/${verb}`, body).then(({ status }) => expect(status, verb).to.equal(204));

    await done('set-rank', { groupId, userId, rank: 9 });
    await done('set-about', { userId, about: 'by http' });
    await done('rename-user', { userId, username: `${username}x` });
    await done('set-banned', { userId, banned: true });
    const shown = await roblox.get(`/users/v1/users/${userId}`);
    expect(shown.body).to.include({ name: `${username}x`, description: 'by http', isBanned: true });
    expect(field(shown.body, 'created')).to.equal('2021-01-01T00:00:00.000Z');
    const ranks = async () => {
      const { body } = await roblox.get(`/groups/v1/users/${userId}/groups/roles`);
      return list(body, 'data').map((entry) => field(entry, 'role', 'rank'));
    };
    expect(await ranks()).to.deep.equal([9]);
    await done('set-roles', { groupId, userId, roleIds: [field(extra.body, 'id')] });
    expect(await ranks()).to.deep.equal([5]);
    const { body: state } = await roblox.get('/sandbox/state');
    const seen = list(state, 'users').find((entry) => field(entry, 'id') === userId);
    expect(field(seen, 'groups')).to.deep.equal([{ groupId, roles: [{ name: 'Extra', rank: 5 }] }]);
    await done('leave-group', { groupId, userId });
    expect(await ranks()).to.deep.equal([]);
    await done('remove-group', { groupId });
    expect((await roblox.get(`/groups/v1/groups/${groupId}`)).status).to.equal(400);
  });

  it('A control verb injects faults into the Roblox sandbox and clears them', async () => {
    await roblox.postJson('/sandbox/inject-fault', { match: '^GET users\\.roblox\\.com', status: 502 });
    expect((await roblox.get('/users/v1/users/1')).status).to.equal(502);
    await roblox.postJson('/sandbox/clear-faults', {});
    expect((await roblox.get('/users/v1/users/1')).status).to.equal(404);
  });

  it('The Roblox sandbox explains the control requests that it refuses', async () => {
    const unknown = await roblox.postJson('/sandbox/set-about', { userId: '1', about: '' });
    expect(unknown.status).to.equal(400);
    expect(field(unknown.body, 'error')).to.include('There is no Roblox user 1');
    const misspelt = await roblox.postJson('/sandbox/set-about', { userId: '1', abuot: '' });
    expect(misspelt.status).to.equal(400);
    expect(field(misspelt.body, 'error')).to.include('abuot');
    expect((await roblox.postJson('/sandbox/nothing', {})).status).to.equal(404);
  });

  it('The Roblox sandbox has a page on which a person changes an About text and a rank', async () => {
    const user = roblox.sandbox.addUser({ username: newName() });
    const group = roblox.sandbox.addGroup({ name: '<Escaped>' });
    const saved = await roblox.postForm('/about', { username: user.username, about: 'apple & pear' });
    expect(saved.status).to.equal(303);
    expect(saved.headers.get('location')).to.equal('/');
    expect(
      (await roblox.postForm('/rank', { username: user.username, groupId: group.id, rank: '100' })).status,
    ).to.equal(303);
    const page = await roblox.get('/');
    expect(page.headers.get('content-type')).to.include('text/html');
    expect(page.body)
      .to.include('apple &#38; pear')
      .and.to.include('&#60;Escaped&#62;: Officer')
      .and.not.to.include('<Esc');
    await roblox.postForm('/rank', { username: user.username, groupId: group.id, rank: '0' });
    const { body } = await roblox.get(`/groups/v1/users/${user.id}/groups/roles`);
    expect(body).to.deep.equal({ data: [] });
    const refused = await roblox.postForm('/rank', { username: 'nobody-at-all', groupId: group.id, rank: '1' });
    expect(refused.status).to.equal(422);
    expect(refused.body).to.include('There is no Roblox user called nobody-at-all.');
  });

  it('The Roblox sandbox does not show its own pages to the observer, nor count them as requests', async () => {
    roblox.sandbox.forgetRequests();
    await roblox.get('/sandbox');
    await roblox.get('/nowhere');
    await roblox.get('/users/v1/users/1');
    expect(roblox.sandbox.requests).to.deep.equal([
      { method: 'GET', host: 'users.roblox.com', path: '/v1/users/1', status: 404 },
    ]);
  });

  it('A Roblox sandbox gives ids that no other of the process has, and frees its port when stopped', async () => {
    const other = await startRobloxSandbox();
    const [a, b] = [roblox.sandbox.addUser({ username: newName() }), other.addUser({ username: newName() })];
    expect(a.id).to.match(/^\d+$/).and.not.to.equal(b.id);
    await fetch(other.url);
    await other.stop();
    const refused = await fetch(other.url).then(
      () => false,
      () => true,
    );
    expect(refused).to.equal(true);
  });
});
