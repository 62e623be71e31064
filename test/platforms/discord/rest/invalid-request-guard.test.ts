import { createServer } from 'node:http';
import { expect } from 'chai';
import { REST, Routes } from 'discord.js';
import { clock } from '../../../../src/lib/clock.js';
import { ChatPlatformUnavailable } from '../../../../src/lib/errors.js';
import { inLane, type Lane } from '../../../../src/lib/lane.js';
import { HeldBack, InvalidRequestGuard } from '../../../../src/platforms/discord/rest/invalid-request-guard.js';
import { type LaneSetup, refusal, setUpLanes } from '../lane-setup.js';

const minute = 60_000;

// SYNC-45, SYNC-46
describe('The invalid-request guard', () => {
  let setup: LaneSetup;

  beforeEach(async () => {
    setup = await setUpLanes(false, { allowance: 40, globalRequestsPerSecond: 1_000 });
  });

  afterEach(async () => {
    await setup.stop();
  });

  /** Makes this many interactive writes be refused, each in its own guild. */
  async function refuse(count: number, status: 403 | 401 = 403): Promise<void> {
    const remove = setup.sandbox.inject({ match: /^PUT /, status });
    for (let call = 0; call < count; call += 1) await refusal(setup.guild(1).put('press', 0));
    remove();
  }

  /** Which lanes a write is refused in, unsent. */
  async function heldBack(): Promise<Lane[]> {
    const lanes: Lane[] = [];
    for (const lane of ['bulk', 'single', 'press'] as const) {
      const before = setup.writes().length;
      const error = await refusal(setup.guild(1).put(lane, 0));
      expect(setup.writes().length - before).to.equal(error === undefined ? 1 : 0);
      if (error instanceof HeldBack) lanes.push(lane);
    }
    return lanes;
  }

  it('Refusals stop bulk work at a quarter of Discord’s ban, single resyncs at half, the rest at nine tenths', async () => {
    await refuse(9);
    expect(await heldBack()).to.deep.equal([]);
    await refuse(1);
    expect(await heldBack()).to.deep.equal(['bulk']);
    await refuse(9);
    expect(await heldBack()).to.deep.equal(['bulk']);
    await refuse(1);
    expect(await heldBack()).to.deep.equal(['bulk', 'single']);
    await refuse(15);
    expect(await heldBack()).to.deep.equal(['bulk', 'single']);
    await refuse(1);
    expect(await heldBack()).to.deep.equal(['bulk', 'single', 'press']);
    expect(setup.sandbox.invalidRequests).to.equal(36);
    expect(setup.lanes.guard.stats).to.deep.equal({
      recent: 36,
      allowance: 40,
      byStatus: { 401: 0, 403: 36, 429: 0 },
      stoppedLanes: ['bulk', 'read', 'single', 'join', 'press'],
    });
  });

  it('The invalid-request guard leaves the answers to interactions alone', async () => {
    await refuse(40);
    setup.sandbox.forgetRequests();
    const body = { type: 5 };
    const error = await refusal(setup.client.post(Routes.interactionCallback('1', 'token'), { auth: false, body }));
    expect(error).to.include({ status: 404 });
    expect(setup.sandbox.requests).to.have.lengthOf(1);
  });

  it('The invalid-request guard explains why it holds calls back, and gives way as the ten minutes slide', async () => {
    await refuse(5);
    clock.advance(4 * minute);
    await refuse(15);
    clock.advance(2 * minute);
    const error = await refusal(setup.guild(1).put('bulk', 0));
    expect(error).to.be.instanceOf(ChatPlatformUnavailable).and.instanceOf(HeldBack);
    expect(error).to.include({ code: 'chat_platform_unavailable', reason: 'invalid_requests' });
    expect(Reflect.get(Object(error), 'retryAfterSeconds')).to.be.within(7 * 60, 8 * 60 + 1);
    expect(await heldBack()).to.deep.equal(['bulk', 'single']);
    clock.advance(4 * minute + 1_000);
    expect(setup.lanes.guard.stats.recent).to.equal(15);
    expect(await heldBack()).to.deep.equal(['bulk']);
    clock.advance(4 * minute);
    expect(setup.lanes.guard.stats.recent).to.equal(0);
    expect(await heldBack()).to.deep.equal([]);
  });

  it('The invalid-request guard refuses calls that wait in a lane when it stops that lane', async () => {
    const guild = setup.guild(3);
    await refuse(9);
    setup.sandbox.inject({ match: /^PUT /, status: 403, delayMs: 100, times: 1 });
    const [first, second, third] = await Promise.all([0, 1, 2].map((member) => refusal(guild.put('bulk', member))));
    expect(first).to.include({ status: 403 });
    expect(second).to.be.instanceOf(HeldBack);
    expect(third).to.be.instanceOf(HeldBack);
    expect(setup.writes()).to.have.lengthOf(10);
  });

  it('The invalid-request guard counts a 429 unless its scope is shared', async () => {
    setup.sandbox.inject({ match: /^PUT /, status: 429, retryAfter: 0.001, times: 1 });
    await setup.guild(1).put('press', 0);
    expect(setup.lanes.guard.stats).to.deep.include({ recent: 1, byStatus: { 401: 0, 403: 0, 429: 1 } });
    const scopes = ['shared', 'shared', 'global'];
    const server = createServer((_, response) => {
      const scope = scopes.shift();
      const limited = { 'retry-after': '0', 'x-ratelimit-scope': scope ?? '' };
      response.writeHead(scope === undefined ? 204 : 429, scope === undefined ? {} : limited).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const guard = new InvalidRequestGuard(40);
    const client = new REST({ api: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, offset: 0 });
    guard.watch(client);
    await client.setToken('token').get('/users/@me');
    server.close();
    client.clearHashSweeper();
    client.clearHandlerSweeper();
    expect(scopes).to.deep.equal([]);
    expect(guard.stats).to.deep.include({ recent: 1, byStatus: { 401: 0, 403: 0, 429: 1 } });
  });

  it('The invalid-request guard stops the bulk writes of a guild that keeps forbidding them, and no others', async () => {
    await setup.stop();
    setup = await setUpLanes(false, { globalRequestsPerSecond: 1_000 });
    const [strict, fair] = [setup.guild(2), setup.guild(2)];
    const remove = setup.sandbox.inject({ match: new RegExp(`^PUT .*/guilds/${strict.guildId}/`), status: 403 });
    for (let call = 0; call < 10; call += 1) expect(await refusal(strict.put('bulk', 0))).to.include({ status: 403 });
    remove();
    const error = await refusal(strict.put('bulk', 0));
    expect(error).to.be.instanceOf(HeldBack).and.include({ reason: 'guild_forbids' });
    expect(setup.writes()).to.have.lengthOf(10);
    const read = () => setup.lanes.rest.get(Routes.guild(strict.guildId));
    expect(await inLane('bulk', read)).to.include({ id: strict.guildId });
    await Promise.all([fair.put('bulk', 0), strict.put('single', 0), strict.put('press', 1)]);
    setup.lanes.guard.forgiveGuild(strict.guildId);
    await strict.put('bulk', 0);
    expect(setup.writes().map(({ status }) => status)).to.deep.equal([...Array(10).fill(403), ...Array(4).fill(204)]);
  });
});
