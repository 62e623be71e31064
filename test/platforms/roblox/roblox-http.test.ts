import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'chai';
import { z } from 'zod';
import { clock } from '../../../src/lib/clock.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { robloxStats } from '../../../src/platforms/roblox/roblox-host.js';
import { type Patience, type RobloxLookup, readRoblox, unhurried } from '../../../src/platforms/roblox/roblox-http.js';
import { startRobloxSandbox } from '../../sandbox/roblox/roblox-sandbox.js';
import { eventually } from '../../support/build.js';
import {
  configFor,
  expectUnavailable,
  sendJson,
  startScriptedRoblox,
  useQuiet,
  useRobloxSandbox,
} from './roblox-setup.js';

const anyObject = z.looseObject({});
const group = (path: string, patience?: Patience): RobloxLookup<unknown> => ({
  host: 'groups',
  path,
  answer: anyObject,
  absent: { status: 400, code: 1 },
  ...(patience && { patience }),
});

describe('readRoblox against the sandbox', () => {
  const sandbox = useRobloxSandbox();
  let path: string;
  before(() => {
    path = `/v1/groups/${sandbox().addGroup({ name: 'Crew' }).id}`;
  });
  const onGroups = { match: /^GET groups\.roblox\.com/ };
  const statuses = () => sandbox().requests.map((request) => request.status);

  it('readRoblox tries again after 5xx and dropped sockets, and counts it', async () => {
    sandbox().inject({ ...onGroups, status: 503, times: 1 });
    sandbox().inject({ ...onGroups, dropSocket: true, times: 1 });
    expect(await readRoblox(group(path))).to.include({ name: 'Crew' });
    expect(statuses()).to.deep.equal([503, 0, 200]);
    const { requests, retries, failures, byHost, breakerOpen } = robloxStats();
    expect({ requests, retries, failures, breakerOpen }).to.deep.equal({
      requests: 3,
      retries: 2,
      failures: 0,
      breakerOpen: [],
    });
    expect(byHost.groups).to.deep.equal({ requests: 3, retries: 2, failures: 0 });
    expect(byHost.users.requests).to.equal(0);
  });

  it('readRoblox tries again after an answer cut short and after a timeout', async () => {
    sandbox().inject({ ...onGroups, corrupt: 'truncated', times: 1 });
    const slow = sandbox().hold(onGroups);
    expect(await readRoblox(group(path))).to.include({ name: 'Crew' });
    expect(robloxStats().byHost.groups.requests).to.equal(3);
    slow.letGo();
    // The sandbox notes the answer that came too late only when it is given.
    await eventually(() => statuses().length === 3);
  });

  it('readRoblox stops after four attempts', async () => {
    sandbox().inject({ ...onGroups, status: 500 });
    await expectUnavailable(readRoblox(group(path)));
    expect(statuses()).to.deep.equal([500, 500, 500, 500]);
    expect(robloxStats().failures).to.equal(1);
  });

  it('readRoblox returns null only when Roblox says in its own words that there is nothing', async () => {
    expect(await readRoblox(group('/v1/groups/999999999'))).to.equal(null);
    sandbox().inject({ ...onGroups, status: 400, times: 1 });
    await expectUnavailable(readRoblox(group(path)));
    expect(statuses()).to.deep.equal([400, 400]);
  });

  // ROBLOX-4
  for (const status of [401, 403, 404, 410]) {
    it(`An older host that answers ${status} without a word of its own counts as closed, and is asked once`, async () => {
      sandbox().inject({ ...onGroups, status });
      const closed = await readRoblox(group(path)).catch((error: unknown) => error);
      expect(closed).to.include({ code: 'game_platform_closed' });
      expect(statuses()).to.deep.equal([status]);
      expect(robloxStats().closed).to.deep.equal(['groups']);
    });
  }

  it('readRoblox waits for the time of a 429, and holds other requests to the host back in that time', async () => {
    sandbox().inject({ ...onGroups, status: 429, retryAfter: 1, times: 1 });
    const started = Date.now();
    const first = readRoblox(group(path));
    await eventually(() => statuses().length > 0, 'the refusal');
    const second = readRoblox(group(`${path}/roles`));
    await Promise.all([first, second]);
    expect(Date.now() - started).to.be.at.least(1_000);
    expect(statuses()).to.deep.equal([429, 200, 200]);
    expect(robloxStats().breakerOpen).to.deep.equal([]);
  });

  it('readRoblox gives up immediately when a 429 wants more time than the caller has, and makes no more requests', async () => {
    sandbox().inject({ ...onGroups, status: 429, retryAfter: 60, times: 1 });
    const started = performance.now();
    await expectUnavailable(readRoblox(group(path)));
    await expectUnavailable(readRoblox(group(path)));
    expect(performance.now() - started).to.be.lessThan(14_000);
    expect(statuses()).to.deep.equal([429]);
  });

  it('A background read waits out a long 429 until it is aborted', async () => {
    sandbox().inject({ ...onGroups, status: 429, retryAfter: 60, times: 1 });
    const cancel = new AbortController();
    const outcome = readRoblox(group(path, unhurried(cancel.signal))).catch((error: unknown) => error);
    setTimeout(() => cancel.abort(new Error('cancelled')), 200);
    expect(await outcome)
      .to.be.an('error')
      .with.property('message', 'cancelled');
    expect(robloxStats().failures).to.equal(0);
  });

  // ROBLOX-2
  it('Background reads leave the end of a rate limit to interactive reads', async () => {
    const strict = await startRobloxSandbox({ legacyPerMinute: 5 });
    configureRoblox(configFor(strict));
    const groupId = strict.addGroup({ name: 'Crew' }).id;
    const cancel = new AbortController();
    for (let i = 0; i < 4; i += 1) await readRoblox(group(`/v1/groups/${groupId}`, unhurried(cancel.signal)));
    const bulk = readRoblox(group(`/v1/groups/${groupId}`, unhurried(cancel.signal))).catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(strict.requests).to.have.length(4);
    expect(await readRoblox(group(`/v1/groups/${groupId}`))).to.include({ name: 'Crew' });
    cancel.abort(new Error('cancelled'));
    expect(await bulk).to.have.property('message', 'cancelled');
    await strict.stop();
  });

  it('readRoblox stops asking a host that keeps failing, and recovers by a trial', async () => {
    const lift = sandbox().inject({ ...onGroups, status: 500 });
    for (const id of [1, 2]) await expectUnavailable(readRoblox(group(`/v1/groups/${id}`)));
    // One group is read by two requests: that alone says nothing about the host.
    expect(robloxStats().breakerOpen).to.deep.equal([]);
    await expectUnavailable(readRoblox(group(path)));
    expect(robloxStats().breakerOpen).to.deep.equal(['groups']);
    lift();
    const asked = sandbox().requests.length;
    await expectUnavailable(readRoblox(group(path)));
    expect(sandbox().requests).to.have.length(asked);
    expect(
      await readRoblox({ host: 'users', path: '/v1/users/1', answer: anyObject, absent: { status: 404, code: 3 } }),
    ).to.equal(null);
    clock.advance(10_000);
    expect(await readRoblox(group(path))).to.include({ name: 'Crew' });
    expect(robloxStats().breakerOpen).to.deep.equal([]);
  });

  it('readRoblox does not hold refusals against the host', async () => {
    configureRoblox({ ...configFor(sandbox()), apiKey: 'wrong' });
    for (let i = 0; i < 10; i += 1) {
      await expectUnavailable(
        readRoblox({ host: 'apis', path: '/cloud/v2/groups/1', headers: { 'x-api-key': 'wrong' }, answer: anyObject }),
      );
    }
    expect(robloxStats().breakerOpen).to.deep.equal([]);
    expect(statuses()).to.deep.equal(Array(10).fill(401));
  });
});

describe('readRoblox against answers that cannot be trusted', () => {
  useQuiet();

  const read = async (answer: (request: IncomingMessage, response: ServerResponse) => void, timeoutMs = 3_000) => {
    const roblox = await startScriptedRoblox(answer);
    configureRoblox({ ...roblox.config, timeoutMs });
    try {
      await expectUnavailable(
        readRoblox({
          host: 'users',
          path: '/v1/users/1',
          answer: z.object({ id: z.number() }),
          absent: { status: 404, code: 3 },
        }),
      );
    } finally {
      await roblox.stop();
    }
    return roblox.requests.length;
  };

  it('readRoblox refuses an answer of another shape', async () => {
    expect(await read((_, response) => sendJson(response, { id: 'one' }))).to.equal(4);
  });

  it('readRoblox refuses a body that is shorter than announced', async () => {
    const cut = (_: IncomingMessage, response: ServerResponse) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"id":1}');
      setTimeout(() => response.destroy(), 20);
    };
    expect(await read(cut)).to.equal(4);
  });

  it('readRoblox refuses a body that drips without end', async () => {
    const drip = (_: IncomingMessage, response: ServerResponse) => {
      response.writeHead(200).write('{');
      const timer = setInterval(() => response.write(' '), 50);
      response.on('close', () => clearInterval(timer));
    };
    expect(await read(drip, 1_000)).to.equal(4);
  });

  it('readRoblox refuses an answer of endless size', async () => {
    expect(await read((_, response) => sendJson(response, { id: 1, more: 'x'.repeat(5 * 1024 * 1024) }))).to.equal(4);
  });

  it('readRoblox does not follow redirects, and believes no 404 but Roblox’s own', async () => {
    expect(await read((_, response) => sendJson(response, {}, 302, { location: '/v1/users/2' }))).to.equal(1);
    expect(await read((_, response) => response.writeHead(404).end('<html>'))).to.equal(4);
    expect(await read((_, response) => sendJson(response, { errors: [{ code: 0 }] }, 404))).to.equal(1);
  });

  it('readRoblox is unavailable when no server listens', async () => {
    const roblox = await startScriptedRoblox(() => undefined);
    await roblox.stop();
    configureRoblox(roblox.config);
    await expectUnavailable(readRoblox({ host: 'users', path: '/v1/users/1', answer: anyObject }));
  });
});
