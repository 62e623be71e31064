import { setTimeout as sleep } from 'node:timers/promises';
import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { inLane } from '../../../../src/lib/lane.js';
import { giveRole } from '../../../../src/platforms/discord/member-writes.js';
import { buildGuild, buildPerson, eventually } from '../../../support/build.js';
import { world } from '../../../support/world.js';
import { type LaneSetup, putEndpoint, refusal, setUpLanes } from '../lane-setup.js';

/** Milliseconds that `work` takes. */
async function timed(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work;
  return performance.now() - startedAt;
}

const range = (length: number) => Array.from({ length }, (_, index) => index);

/** Set up by each test. */
let setup: LaneSetup;

function laneCounts() {
  const { waiting, running } = setup.lanes.stats;
  return { press: waiting.press, bulk: waiting.bulk, running };
}

// SYNC-37, SYNC-38
describe('Request lanes of one guild', function () {
  this.slow(3_000);
  afterEach(() => setup.stop());

  it('A bulk run gets at most one write in before an interactive one, and can be cancelled', async () => {
    setup = await setUpLanes({ [putEndpoint]: { limit: 5, seconds: 0.5 } });
    const guild = setup.guild(201);
    const controller = new AbortController();
    const run = range(200).map((member) => refusal(guild.put('bulk', member, controller.signal)));
    await Promise.race(run);
    const startedAt = performance.now();
    const person = guild.path(200);
    const waits: number[] = [];
    for (const pause of [30, 170, 230, 310, 90]) {
      await sleep(pause);
      const before = setup.writes().length;
      waits.push(await timed(guild.put('press', 200)));
      const ahead = setup
        .writes()
        .slice(before)
        .findIndex(({ path }) => path === person);
      expect(ahead).to.be.within(0, 1);
    }
    // All 200 would take twenty seconds, at five in each half.
    expect(Math.max(...waits)).to.be.below(10_000);
    const sent = setup.writes().length;
    expect(sent).to.be.at.most(5 * ((performance.now() - startedAt) / 500 + 2));
    controller.abort(new Error('enough'));
    const outcomes = await Promise.all(run);
    await sleep(600);
    expect(setup.writes().length).to.be.within(sent, sent + 1);
    expect(setup.writes().every(({ status }) => status === 204)).to.equal(true);
    const refused = outcomes.filter((outcome) => outcome !== undefined);
    expect(refused).to.have.lengthOf(200 - (setup.writes().length - waits.length));
    expect(refused.every((outcome) => outcome === controller.signal.reason)).to.equal(true);
    expect(laneCounts()).to.deep.equal({ press: 0, bulk: 0, running: 0 });
  });

  it('Request lanes pass one bulk write of a guild at a time, and none next to an interactive one', async () => {
    setup = await setUpLanes(false);
    const guild = setup.guild(6);
    const [interactive, first] = [0, 1].map((n) => setup.sandbox.hold({ match: new RegExp(`${guild.path(n)}$`) }));
    const person = guild.put('press', 0);
    const run = range(5).map((member) => guild.put('bulk', member + 1));
    await interactive?.reached;
    await sleep(150);
    expect(laneCounts()).to.deep.equal({ press: 0, bulk: 5, running: 1 });
    interactive?.letGo();
    await person;
    await first?.reached;
    expect(laneCounts()).to.deep.equal({ press: 0, bulk: 4, running: 1 });
    first?.letGo();
    await Promise.all(run);
    expect(setup.writes().map(({ path }) => path)).to.deep.equal(range(6).map(guild.path));
  });

  it('Single resyncs of a guild run before the bulk calls that came first', async () => {
    setup = await setUpLanes(false);
    const guild = setup.guild(7);
    const bulk = range(5).map((member) => guild.put('bulk', member));
    const single = [5, 6].map((member) => guild.put('single', member));
    await Promise.all([...bulk, ...single]);
    expect(setup.writes().map(({ path }) => path)).to.deep.equal([0, 5, 6, 1, 2, 3, 4].map(guild.path));
  });

  it('A bulk run spends the interactive reserve at a window’s end, so that it takes no longer', async () => {
    setup = await setUpLanes({ [putEndpoint]: { limit: 10, seconds: 3 } });
    const [quiet, busy] = [setup.guild(25), setup.guild(30)];
    const controller = new AbortController();
    const quietRun = timed(Promise.all(range(25).map((member) => quiet.put('bulk', member))));
    const busyRun = range(28).map((member) => refusal(busy.put('bulk', member, controller.signal)));
    const busyPaths = () => setup.writes().flatMap(({ path }) => (path.includes(busy.guildId) ? [path] : []));
    await eventually(() => busyPaths().length >= 8, 'what the run may use');
    for (const member of [28, 29]) await busy.put('press', member);
    expect(busyPaths().slice(8), 'in the same window').to.deep.equal([28, 29].map(busy.path));
    controller.abort();
    const [quietMs] = await Promise.all([quietRun, ...busyRun]);
    // One window more would end after nine seconds.
    expect(quietMs).to.be.within(6_000, 8_900);
    expect(setup.writes().every(({ status }) => status === 204)).to.equal(true);
  });

  it('An edit in bulk leaves people their part of the limit of the read that it begins with', async () => {
    setup = await setUpLanes({ 'GET /guilds/:guildId/members/:userId': { limit: 5, seconds: 10 } });
    const { path } = setup.guild(6);
    const { rest } = setup.lanes;
    const paths = range(6).map((index) => path(index).replace(/\/roles.*/, '') as `/${string}`);
    const stop = new AbortController();
    const edit = (each: `/${string}`) =>
      rest.inTurn('PATCH', each, (client) => client.get(each), { method: 'GET', path: each });
    const edits = paths.map((each) => inLane('bulk', () => edit(each), stop.signal));
    await Promise.all(edits.slice(0, 4));
    await inLane('press', () => rest.get(paths[5] ?? '/'));
    stop.abort(new Error('enough'));
    for (const refused of await Promise.all(edits.slice(4).map(refusal))) expect(refused).to.match(/enough/);
    expect(setup.sandbox.requests.filter(({ method }) => method === 'GET')).to.have.length(5);
  });
});

describe('Request lanes of several guilds', function () {
  this.slow(3_000);
  afterEach(() => setup.stop());

  it('Request lanes share the global limit fairly between guilds, and leave a part of it to people', async () => {
    const rateLimits = { [putEndpoint]: { limit: 100, seconds: 1 }, global: { limit: 20, seconds: 1 } };
    setup = await setUpLanes(rateLimits, { globalRequestsPerSecond: 20 });
    const [large, small, people] = [setup.guild(60), setup.guild(20), setup.guild(4)];
    const controller = new AbortController();
    const largeRun = range(60).map((member) => refusal(large.put('bulk', member, controller.signal)));
    await sleep(200);
    const before = setup.writes().length;
    const smallRun = Promise.all(range(20).map((member) => small.put('bulk', member)));
    const waits = await Promise.all(range(4).map((member) => people.put('press', member)));
    expect(waits).to.have.lengthOf(4);
    // The queues' earlier content would have taken three seconds.
    expect(setup.writes().length - before).to.be.below(40);
    await smallRun;
    controller.abort();
    await Promise.all(largeRun);
    const during = setup.writes().slice(before);
    const [largeShare, smallShare] = [large, small].map(
      ({ guildId }) => during.filter(({ path }) => path.includes(guildId)).length,
    );
    expect(smallShare).to.equal(20);
    // A guild has one such call under way: slow answers cost it some turns. Without turns it would have 2, or 55.
    expect(largeShare).to.be.within(10, 30);
    expect(setup.sandbox.invalidRequests).to.equal(0);
  });

  it('Calls that many people wait for in one guild hold up no other guild', async () => {
    setup = await setUpLanes({ [putEndpoint]: { limit: 5, seconds: 30 } });
    const [crowded, other] = [setup.guild(60), setup.guild(2)];
    for (const member of range(60)) void refusal(crowded.put('press', member));
    await eventually(() => setup.writes().length === 5, 'what the limit allows them');
    await Promise.all([other.put('bulk', 0), other.put('single', 1)]);
    expect(setup.writes()).to.have.lengthOf(7);
  });

  it('Request lanes obey a 429, while guilds beyond the concurrency limit continue', async () => {
    setup = await setUpLanes(false);
    const limited = range(10).map(() => setup.guild(2));
    const other = setup.guild(5);
    setup.sandbox.inject({ match: /^PUT /, status: 429, retryAfter: 4, times: 10 });
    const waits = limited.map((guild) => timed(Promise.all([guild.put('bulk', 0), guild.put('bulk', 1)])));
    await eventually(() => setup.writes().length === 10, 'the refusals');
    expect(setup.writes().map(({ status }) => status)).to.deep.equal(range(10).map(() => 429));
    await Promise.all(range(5).map((member) => other.put('bulk', member)));
    expect(setup.writes().filter(({ status }) => status === 204)).to.have.lengthOf(5);
    const spent = await Promise.all(waits);
    expect(Math.min(...spent)).to.be.at.least(4_000);
    expect(setup.writes().filter(({ status }) => status === 429)).to.have.lengthOf(10);
    expect(setup.writes().filter(({ status }) => status === 204)).to.have.lengthOf(25);
  });

  it('A call of the service that is cancelled before it is sent never is', async () => {
    setup = await setUpLanes(false);
    const { discord } = await world();
    const [{ guildId }, { chatUserId }] = [await buildGuild(), await buildPerson()];
    discord.join(guildId, chatUserId);
    const { id: roleId } = discord.addRole(guildId, { name: 'Recruit' });
    const give = () => giveRole(guildId, chatUserId, roleId, { reason: 'test' });
    const reason = new Error('enough');
    expect(await refusal(inLane('bulk', give, AbortSignal.abort(reason)))).to.equal(reason);
    expect(discord.member(guildId, chatUserId)?.roleIds).to.deep.equal([]);
    expect(container.client.isReady()).to.equal(true);
    await inLane('bulk', give);
    expect(discord.member(guildId, chatUserId)?.roleIds).to.deep.equal([roleId]);
  });
});
