import { expect } from 'chai';
import { inLane, type Lane, lanes } from '../../../../src/lib/lane.js';
import { HeldBack } from '../../../../src/platforms/discord/rest/invalid-request-guard.js';
import { eventually } from '../../../support/build.js';
import { type LaneSetup, putEndpoint, refusal, setUpLanes } from '../lane-setup.js';

const getEndpoint = 'GET /guilds/:guildId/members/:userId';
const range = (length: number) => Array.from({ length }, (_, index) => index);

let setup: LaneSetup;

/** A guild's member, read in a lane. */
function readers(members: number) {
  const guild = setup.guild(members);
  const path = (member: number) => guild.path(member).replace(/\/roles.*/, '') as `/${string}`;
  const read = (lane: Lane, member: number) => inLane(lane, () => setup.lanes.rest.get(path(member)));
  const answered = () =>
    setup.sandbox.requests
      .filter(({ method }) => method === 'GET')
      .map((request) => request.path.replace(/^.*?(?=\/guilds)/, ''));
  return { guildId: guild.guildId, path, read, answered };
}

// SYNC-37, SYNC-138, API-176
describe('Turns of lanes', function () {
  this.slow(3_000);
  afterEach(() => setup.stop());

  it('Reads over HTTP at Discord’s limit leave a press, a join and a sync the next call', async () => {
    setup = await setUpLanes({ [getEndpoint]: { limit: 5, seconds: 0.5 } });
    const { read, path, answered } = readers(63);
    const reads = range(60).map((member) => refusal(read('read', member)));
    await eventually(() => answered().length >= 3, 'some reads');
    for (const [index, lane] of (['press', 'join', 'single'] as const).entries()) {
      const before = answered().length;
      await read(lane, 60 + index);
      expect(
        answered()
          .slice(before)
          .indexOf(path(60 + index)),
        lane,
      ).to.be.within(0, 1);
    }
    const refused = (await Promise.all(reads)).filter((error) => error !== undefined);
    expect(refused.length).to.be.above(0);
    expect(refused.every((error) => error instanceof HeldBack && error.reason === 'calls_wait')).to.equal(true);
    expect(setup.sandbox.invalidRequests).to.equal(0);
  });

  it('Each lane with something waiting gets a call in each window, however many more urgent calls wait', async () => {
    setup = await setUpLanes({ [putEndpoint]: { limit: 5, seconds: 1 } });
    const guild = setup.guild(60);
    const stop = new AbortController();
    const calls = lanes.flatMap((lane, kind) =>
      range(12).map((index) => refusal(guild.put(lane, kind * 12 + index, stop.signal))),
    );
    await eventually(() => setup.writes().length >= 18, 'four windows');
    stop.abort(new Error('enough'));
    await Promise.all(calls);
    const laneOf = (path: string) =>
      lanes[Math.floor(range(60).findIndex((member) => guild.path(member) === path) / 12)];
    const order = setup.writes().map(({ path }) => laneOf(path));
    expect(order.slice(0, 4)).to.deep.equal(['press', 'press', 'press', 'press']);
    for (const lane of lanes) expect(order.filter((each) => each === lane).length, lane).to.be.at.least(2);
    expect(setup.sandbox.invalidRequests).to.equal(0);
  });

  it('A read over HTTP that would wait longer than two seconds is refused at once, with the time', async () => {
    setup = await setUpLanes({ [getEndpoint]: { limit: 1, seconds: 40 } });
    const { guildId, read } = readers(2);
    await read('read', 0);
    const error = await refusal(read('read', 1));
    expect(error).to.be.instanceOf(HeldBack).and.include({ code: 'chat_platform_unavailable', reason: 'calls_wait' });
    expect(Reflect.get(Object(error), 'retryAfterSeconds')).to.be.within(30, 40);
    expect(setup.lanes.stats.waiting.read).to.equal(0);
    expect(setup.lanes.waitOfGuild(guildId)).to.be.below(2_000);
  });

  it('A read over HTTP is told the wait of its own lane, which leaves a reserve to others', async () => {
    setup = await setUpLanes({ [getEndpoint]: { limit: 5, seconds: 60 } });
    const { read } = readers(5);
    for (const member of range(4)) await read('read', member);
    const error = await refusal(read('read', 4));
    expect(error).to.be.instanceOf(HeldBack);
    expect(Reflect.get(Object(error), 'retryAfterSeconds')).to.be.within(10, 60);
    await read('press', 4);
  });

  it('The lanes know how long calls of a guild waited, and leave bulk work out', async () => {
    setup = await setUpLanes({ [getEndpoint]: { limit: 1, seconds: 1 } });
    const [busy, quiet] = [readers(3), readers(2)];
    await Promise.all([busy.read('single', 0), busy.read('single', 1), quiet.read('bulk', 0), quiet.read('bulk', 1)]);
    expect(setup.lanes.waitOfGuild(busy.guildId)).to.be.above(500);
    expect(setup.lanes.stats.longestMs.single).to.be.above(500);
    expect(setup.lanes.waitOfGuild(quiet.guildId)).to.equal(0);
  });
});
