import { expect } from 'chai';
import { errorBody, field, list, newName, RobloxFixture } from './roblox-fixture.js';

describe('Roblox sandbox: faults', () => {
  const roblox = new RobloxFixture();

  // ENV-35
  it('A fault of the Roblox sandbox answers with a status in the host’s form, as often as configured', async () => {
    const user = roblox.sandbox.addUser({ username: newName() });
    roblox.sandbox.inject({ match: /^GET users\.roblox\.com\//, status: 503, times: 2 });
    const statuses: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) statuses.push((await roblox.get(`/users/v1/users/${user.id}`)).status);
    expect(statuses).to.deep.equal([503, 503, 200]);
    roblox.sandbox.inject({ match: /apis\.roblox\.com\/cloud/, status: 503, times: 1 });
    const cloud = await roblox.cloud(`/users/${user.id}`);
    expect(field(cloud.body, 'code')).to.equal('UNAVAILABLE');
  });

  it('A fault of the Roblox sandbox sends Retry-After with 429 only if configured', async () => {
    roblox.sandbox.inject({ match: /./, status: 429, retryAfter: 7, times: 1 });
    const first = await roblox.cloud('/users/1');
    expect(first.headers.get('retry-after')).to.equal('7');
    expect(field(first.body, 'code')).to.equal('RESOURCE_EXHAUSTED');
    roblox.sandbox.inject({ match: /./, status: 429, times: 1 });
    const second = await roblox.get('/groups/v1/groups/1');
    expect(second.status).to.equal(429);
    expect(second.headers.get('retry-after')).to.equal(null);
    expect(second.body).to.deep.equal(errorBody(0, 'The sandbox was told to fail here.'));
  });

  it('A fault of the Roblox sandbox delays an answer', async () => {
    roblox.sandbox.inject({ match: /./, delayMs: 80 });
    const start = performance.now();
    expect((await roblox.get('/users/v1/users/1')).status).to.equal(404);
    expect(performance.now() - start).to.be.at.least(75);
  });

  it('A fault of the Roblox sandbox holds a request until it is released, and reports that it waits', async () => {
    const user = roblox.sandbox.addUser({ username: newName() });
    const { reached, letGo } = roblox.sandbox.hold({ match: /^GET users/ });
    let answered = false;
    const ask = () => roblox.get(`/users/v1/users/${user.id}`);
    const first = ask().finally(() => {
      answered = true;
    });
    await reached;
    expect((await ask()).status, 'the second is not held').to.equal(200);
    expect(answered).to.equal(false);
    roblox.sandbox.setAbout(user.id, 'Said while it waited');
    letGo();
    expect(field((await first).body, 'description')).to.equal('Said while it waited');
  });

  it('A fault of the Roblox sandbox holds back an answer that is made already', async () => {
    const user = roblox.sandbox.addUser({ username: newName() });
    const { reached } = roblox.sandbox.hold({ match: /^GET users/, when: 'after' });
    const answer = roblox.get(`/users/v1/users/${user.id}`);
    await reached;
    roblox.sandbox.setAbout(user.id, 'Said too late');
    roblox.sandbox.clearFaults();
    expect(field((await answer).body, 'description')).to.equal('');
  });

  it('A fault of the Roblox sandbox drops the socket before or after doing the work', async () => {
    const user = roblox.sandbox.addUser({ username: newName() });
    const query = new URLSearchParams({
      client_id: roblox.sandbox.oauth.clientId,
      redirect_uri: 'http://localhost:3000/',
      response_type: 'code',
      scope: 'openid',
    });
    const redirect = new URL(
      roblox.sandbox.authorize(`${roblox.sandbox.apisUrl}/oauth/v1/authorize?${query}`, user.id),
    );
    const { clientId, clientSecret } = roblox.sandbox.oauth;
    const redeem = () =>
      roblox.postForm('/apis/oauth/v1/token', {
        grant_type: 'authorization_code',
        code: redirect.searchParams.get('code') ?? '',
        client_id: clientId,
        client_secret: clientSecret,
      });
    const failed = (request: Promise<unknown>) =>
      request.then(
        () => false,
        () => true,
      );

    roblox.sandbox.forgetRequests();
    roblox.sandbox.inject({ match: /^POST apis/, dropSocket: true, times: 1 });
    expect(await failed(redeem())).to.equal(true);
    roblox.sandbox.inject({ match: /^POST apis/, dropSocket: true, when: 'after', times: 1 });
    expect(await failed(redeem())).to.equal(true);
    expect((await redeem()).status, 'the dropped answer had used the code up').to.equal(400);
    const request = { method: 'POST', host: 'apis.roblox.com', path: '/oauth/v1/token' };
    expect(roblox.sandbox.requests).to.deep.equal([
      { ...request, status: 0 },
      { ...request, status: 0 },
      { ...request, status: 400 },
    ]);
  });

  it('A fault of the Roblox sandbox breaks JSON off half-way', async () => {
    const user = roblox.sandbox.addUser({ username: newName() });
    roblox.sandbox.inject({ match: /./, corrupt: 'truncated', times: 1 });
    const response = await fetch(`${roblox.sandbox.usersUrl}/v1/users/${user.id}`);
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.include('application/json');
    const text = await response.text();
    expect(text.startsWith('{')).to.equal(true);
    expect(() => JSON.parse(text)).to.throw(SyntaxError);
  });

  it('A fault of the Roblox sandbox gives empty pages that name no further page', async () => {
    const group = roblox.sandbox.addGroup({ name: 'Emptied' });
    for (let turn = 0; turn < 11; turn += 1) {
      roblox.sandbox.setRank(group.id, roblox.sandbox.addUser({ username: newName() }).id, 1);
    }
    const paths: [path: string, key: string][] = [
      [`/groups/v1/groups/${group.id}/users`, 'data'],
      [`/apis/cloud/v2/groups/${group.id}/memberships`, 'groupMemberships'],
    ];
    for (const [path, key] of paths) {
      const headers = { 'x-api-key': roblox.sandbox.apiKey };
      expect(list((await roblox.get(path, headers)).body, key)).to.have.length(10);
      const undo = roblox.sandbox.inject({ match: /./, corrupt: 'empty_data' });
      const { status, body } = await roblox.get(path, headers);
      expect(status).to.equal(200);
      expect(list(body, key)).to.deep.equal([]);
      expect(field(body, 'nextPageToken') ?? field(body, 'nextPageCursor') ?? null).to.equal(null);
      undo();
    }
  });

  it('The Roblox sandbox answers an empty page on demand that names the page with the items', async () => {
    const group = roblox.sandbox.addGroup({ name: 'Paged' });
    const path = `/apis/cloud/v2/groups/${group.id}/roles`;
    const headers = { 'x-api-key': roblox.sandbox.apiKey };
    roblox.sandbox.inject({ match: /./, corrupt: 'empty_page', times: 1 });
    const { body: empty } = await roblox.get(path, headers);
    expect(list(empty, 'groupRoles')).to.deep.equal([]);
    const { body } = await roblox.get(`${path}?pageToken=${field(empty, 'nextPageToken')}`, headers);
    expect(list(body, 'groupRoles')).to.have.length(group.roles.length);
  });

  it('A fault of the Roblox sandbox ends after its count, by its own undo and by clearing all', async () => {
    const undo = roblox.sandbox.inject({ match: /./, status: 500 });
    expect((await roblox.get('/users/v1/users/1')).status).to.equal(500);
    undo();
    expect((await roblox.get('/users/v1/users/1')).status).to.equal(404);
    roblox.sandbox.inject({ match: /./, status: 500 });
    roblox.sandbox.clearFaults();
    expect((await roblox.get('/users/v1/users/1')).status).to.equal(404);
  });
});
