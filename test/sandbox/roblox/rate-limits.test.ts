import { expect } from 'chai';
import { clock } from '../../../src/lib/clock.js';
import { errorBody, field, RobloxFixture } from './roblox-fixture.js';

describe('Roblox sandbox: rate limits', () => {
  const roblox = new RobloxFixture({ legacyPerMinute: 3 });

  it('The sandbox allows a key owner 150 group reads a minute, reports it in headers, and then wants patience', async () => {
    clock.freeze(new Date());
    const group = roblox.sandbox.addGroup({ name: 'Limited' });
    const first = await roblox.cloud(`/groups/${group.id}`);
    expect(first.headers.get('x-ratelimit-limit')).to.equal('150, 150;w=60');
    expect(first.headers.get('x-ratelimit-remaining')).to.equal('149');
    expect(first.headers.get('x-ratelimit-reset')).to.equal('60');
    for (let turn = 0; turn < 149; turn += 1) await roblox.cloud(`/groups/${group.id}`);
    clock.advance(20_000);
    const refused = await roblox.cloud(`/groups/${group.id}`);
    expect(refused.status).to.equal(429);
    expect(field(refused.body, 'code')).to.equal('RESOURCE_EXHAUSTED');
    expect(refused.headers.get('retry-after')).to.equal('40');
    expect(refused.headers.get('x-ratelimit-remaining')).to.equal('0');
    expect((await roblox.cloud(`/groups/${group.id}/roles`)).status, 'each operation counts alone').to.equal(200);
    clock.advance(40_001);
    expect((await roblox.cloud(`/groups/${group.id}`)).status).to.equal(200);
  });

  it('The Roblox sandbox limits each older host alone, without Retry-After', async () => {
    for (let turn = 0; turn < 3; turn += 1) expect((await roblox.get('/users/v1/users/1')).status).to.equal(404);
    const refused = await roblox.get('/users/v1/users/1');
    expect(refused.status).to.equal(429);
    expect(refused.body).to.deep.equal(errorBody(0, 'Too many requests'));
    expect(refused.headers.get('retry-after')).to.equal(null);
    expect((await roblox.get('/groups/v1/groups/1')).status).to.equal(400);
  });

  it('The Roblox sandbox does not limit OAuth, for which no number is published', async () => {
    const answer = await roblox.get('/apis/oauth/v1/certs');
    expect(answer.headers.get('x-ratelimit-limit')).to.equal(null);
  });
});

describe('Roblox sandbox: rate limits switched off', () => {
  const roblox = new RobloxFixture({ rateLimits: false, legacyPerMinute: 1 });

  it('A Roblox sandbox without rate limits neither counts nor refuses', async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      const answer = await roblox.get('/users/v1/users/1');
      expect(answer.status).to.equal(404);
      expect(answer.headers.get('x-ratelimit-limit')).to.equal(null);
    }
  });
});
