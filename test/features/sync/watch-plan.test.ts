import { expect } from 'chai';
import { config, useConfig } from '../../../src/config/config.js';
import { changedGroups, heldFrom } from '../../../src/features/members/held-ranks.js';
import { isPollCheaper, planBatch, planPoll } from '../../../src/features/rank-watch/plan-readings.js';
import { RankInterests } from '../../../src/features/rank-watch/rank-interests.js';
import { rankTargetMs } from '../../../src/features/rank-watch/rank-target.js';
import { callsPerMinute, logCallsPerMinute, watchShare } from '../../../src/features/rank-watch/rank-watch.js';
import { TokenBucket } from '../../../src/features/rank-watch/token-bucket.js';
import { clock } from '../../../src/lib/clock.js';
import { minuteMs } from '../../../src/lib/time.js';
import { world } from '../../support/world.js';

// RANK-11
describe('The plan of readings', () => {
  const group = (memberCount: number) => [{ groupId: '1', memberCount }];

  for (const [readings, input, expected] of [
    ['a few people by one filter', { due: 10, groups: null, groupsPerUser: 20 }, ['people', 10, 2]],
    ['as many as 50 calls take at a time', { due: 5_000, groups: null, groupsPerUser: 20 }, ['people', 250, 50]],
    [
      'all pages where most of a group is linked',
      { due: 5_000, groups: group(20_000), groupsPerUser: 20 },
      ['pages', 5_000, 200],
    ],
    ['people where few of a group are', { due: 200, groups: group(5_000), groupsPerUser: 20 }, ['people', 200, 40]],
    [
      'no more than memory holds',
      { due: 1_000_000, groups: group(100_000), groupsPerUser: 20 },
      ['pages', 20_000, 1_000],
    ],
    [
      'people where a group is huge',
      { due: 1_000_000, groups: group(1_200_000), groupsPerUser: 1 },
      ['people', 2_500, 50],
    ],
  ] as const) {
    it(`A batch of the rank watch reads ${readings}`, () => {
      const { way, people, calls } = planBatch(input);
      expect([way, people, calls]).to.deep.equal(expected);
    });
  }

  it('The watch polls the counts where that takes fewer calls than reading the people', () => {
    const usual = { roles: 10, groupsOfPeople: 1, groupsPerUser: 20 };
    expect(isPollCheaper({ ...usual, people: 0 })).to.equal(false);
    expect(isPollCheaper({ ...usual, people: 3 })).to.equal(false);
    expect(isPollCheaper({ ...usual, people: 200 })).to.equal(true);
    expect(isPollCheaper({ ...usual, people: 200, groupsOfPeople: 40 })).to.equal(false);
    expect(isPollCheaper({ ...usual, people: 10, roles: 100 })).to.equal(false);
  });

  const roles = (member: number, officer: number, owner = 1) =>
    [member, officer, owner].map((members, index) => ({ gameRoleId: String(index), rank: index + 1, members }));
  const plan = (before: ReturnType<typeof roles>, now: ReturnType<typeof roles>, swept: string[] = []) => {
    const { read, ...rest } = planPoll(before, now, { swept, people: 1_000, groupsPerUser: 20 });
    return { ...rest, read: read.map(({ gameRoleId }) => gameRoleId) };
  };
  const nothing = { read: [], gone: [], joined: false, leftFrom: null, everybody: false };

  it('A glance reads nothing while no count has changed', () => {
    expect(plan(roles(900, 90), roles(900, 90))).to.deep.equal(nothing);
  });
  // RANK-12
  it('A glance reads the smaller of two roles between which people moved', () => {
    expect(plan(roles(900, 90), roles(899, 91))).to.deep.equal({ ...nothing, read: ['1'] });
  });
  // RANK-13
  it('A glance asks for people outside when some joined, and for holders of the largest role when some left', () => {
    expect(plan(roles(900, 90), roles(901, 90))).to.deep.equal({ ...nothing, joined: true });
    expect(plan(roles(900, 90), roles(898, 90))).to.deep.equal({ ...nothing, leftFrom: '0' });
  });
  // RANK-14
  it('A glance reads all roles but the largest when they were not read for long', () => {
    expect(plan(roles(900, 90), roles(900, 90), ['0', '1', '2'])).to.deep.equal({ ...nothing, read: ['1', '2'] });
  });
  it('The first poll of the rank watch counts no one as joined', () => {
    expect(plan([], roles(900, 90))).to.deep.equal({ ...nothing, read: ['1', '2'] });
  });
  it('A poll of a group’s counts names roles that are gone', () => {
    expect(plan(roles(900, 90), roles(990, 0).slice(0, 1))).to.deep.include({ gone: ['1', '2'], leftFrom: '0' });
  });
  it('A poll of a group’s counts reads everyone when reading the roles would take more calls', () => {
    expect(plan(roles(99_000, 90_000), roles(98_999, 90_001))).to.deep.include({ everybody: true });
  });
});

describe('The goals and shares of the watch', () => {
  const plans = new Map([
    ['1', 'free'],
    ['2', 'enterprise'],
    ['3', 'pro'],
  ] as const);
  let live: ReturnType<typeof config>;
  before(async () => {
    await world();
    live = config();
  });
  afterEach(() => {
    useConfig(live);
    clock.restore();
  });

  // PLAN-1
  it('Every server has the goal of the best plan where nothing is sold', () => {
    expect(live.stripe, 'sold here').not.to.equal(undefined);
    const goals = () => [...plans.values()].map((plan) => rankTargetMs(plan) / minuteMs);
    expect(goals()).to.deep.equal([1_440, 2, 15]);
    useConfig({ ...live, stripe: undefined });
    expect(goals()).to.deep.equal([2, 2, 2]);
  });

  // RANK-25
  it('An account belongs to the turn of its server with the best plan, among those that use its ranks', () => {
    const using = (...guildIds: string[]) => new Map(guildIds.map((id) => [id, ['7']]));
    const best = (groupsByGuild: Map<string, string[]>) =>
      new RankInterests(plans, groupsByGuild, new Map(), []).bestOf(['1', '3', '2'])?.guildId;
    expect(best(using('1', '2', '3'))).to.equal('2');
    expect(best(using('1', '3'))).to.equal('3');
    expect(best(using())).to.equal(undefined);
  });

  // RANK-23
  it('The watch makes no more than 70 % of a limit’s calls in a minute, and nearly all of them', async () => {
    expect([callsPerMinute, logCallsPerMinute, watchShare]).to.deep.equal([300, 100, 0.7]);
    clock.freeze(new Date());
    const bucket = new TokenBucket(watchShare * callsPerMinute);
    let made = 0;
    for (let second = 0; second < 60; second += 1) {
      while (bucket.hasRoom) {
        await bucket.take({ signal: new AbortController().signal });
        made += 1;
      }
      clock.advance(1_000);
    }
    expect(made).to.be.within(190, 210);
  });
});

describe('Ranks as seen', () => {
  it('A reading keeps the groups that matter, and marks those without the person', () => {
    const ranks = new Map([
      ['7', ['70', '71']],
      ['8', ['80']],
    ]);
    expect(heldFrom(ranks, ['7', '9'])).to.deep.equal(['7:70', '7:71', '9:-']);
  });
  it('The difference of two readings is found in groups that both know', () => {
    expect(changedGroups(['7:70', '9:-'], ['7:70', '9:90'])).to.deep.equal(['9']);
    expect(changedGroups(['7:71', '7:70'], ['7:70', '7:71'])).to.deep.equal([]);
    expect(changedGroups(['7:70'], ['7:70', '8:80'])).to.deep.equal([]);
    expect(changedGroups(['7:70'], ['7:-'])).to.deep.equal(['7']);
    expect(changedGroups(['7:70', '70:1'], ['7:70', '70:2'])).to.deep.equal(['70']);
  });
});
