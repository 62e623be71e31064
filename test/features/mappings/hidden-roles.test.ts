import { expect } from 'chai';
import {
  asksLowerRoles,
  type Condition,
  type ConditionFacts,
  groupIdsDenied,
  matches,
} from '../../../src/features/mappings/condition.js';

const inGroup = (groupId: string) => ({ type: 'group_member', groupId }) as const;
const rank = (min: number, max: number) => ({ type: 'group_rank', groupId: '1', min, max }) as const;
const role = (gameRoleId: string) => ({ type: 'group_role', groupId: '1', gameRoleId }) as const;
const not = (of: Condition) => ({ type: 'not', of }) as const;

// RANK-27
describe('Conditions without a key, when Roblox shows only the highest role in a group', () => {
  const seen: ConditionFacts = {
    verified: true,
    ranks: new Map([['1', [{ gameRoleId: '12', name: 'Officer', rank: 100 }]]]),
    missing: new Set(),
    highestOnly: new Map([
      ['11', 1],
      ['12', 100],
      ['13', 200],
      ['14', 100],
    ]),
    traits: undefined,
    reported: null,
  };
  const outside = { ...seen, ranks: new Map() };

  for (const [wanted, expected] of [
    [role('12'), true],
    [role('11'), null],
    [role('14'), null],
    [role('13'), false],
    [role('15'), null],
    [rank(100, 100), true],
    [rank(1, 99), null],
    [rank(100, 255), true],
    [rank(101, 255), false],
    [inGroup('1'), true],
  ] as const) {
    it(`${JSON.stringify(wanted)} of a visible Officer with rank 100 is ${expected}`, () => {
      expect(matches(wanted, seen)).to.equal(expected);
    });
  }

  it('A person outside a group surely holds none of its roles', () => {
    for (const wanted of [role('11'), rank(1, 255), inGroup('1')]) expect(matches(wanted, outside)).to.equal(false);
  });

  it('A lower role is asked for by a role, by all roles, and by a rank with an upper end', () => {
    const asking: Condition[] = [role('11'), { type: 'group_roles', groupId: '1', match: 'name' }, rank(1, 254)];
    const others: Condition[] = [inGroup('1'), rank(1, 255), { type: 'verified' }];
    expect(asking.map(asksLowerRoles)).to.deep.equal([true, true, true]);
    expect(others.map(asksLowerRoles)).to.deep.equal([false, false, false]);
    expect(asksLowerRoles(not({ type: 'all', of: [...others, ...asking] }))).to.equal(true);
  });
});

// RESYNC-5
describe('Groups that a person must be outside of', () => {
  it('They are those under an odd number of not, each once', () => {
    const denied = (whole: Condition) => groupIdsDenied(whole);
    expect(denied(inGroup('1'))).to.deep.equal([]);
    expect(denied(not(inGroup('1')))).to.deep.equal(['1']);
    expect(denied(not(not(inGroup('1'))))).to.deep.equal([]);
    const whole: Condition = { type: 'all', of: [inGroup('1'), not(inGroup('2')), not(inGroup('2'))] };
    expect(denied(whole)).to.deep.equal(['2']);
    expect(denied({ type: 'any', of: [not(whole)] })).to.deep.equal(['1']);
  });
});
