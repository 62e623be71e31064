import { expect } from 'chai';
import {
  type Condition,
  type ConditionFacts,
  condition,
  itemsOf,
  longestAgeDays,
  matches,
  traitConditionsOf,
} from '../../../src/features/mappings/condition.js';
import { type GameTraits, itemKey } from '../../../src/features/mappings/game-traits.js';

const badge = { type: 'owns_item', kind: 'badge', id: '77' } as const;
const premium = { type: 'premium' } as const;
const aged = (days: number) => ({ type: 'account_age', days }) as const;

const traits = (change: Partial<GameTraits> = {}): GameTraits => ({
  ...{ premium: true, ageDays: 30, isPrivate: false },
  owns: (item) => itemKey(item) === 'badge:77',
  ...change,
});
const facts = (change: Partial<ConditionFacts> = {}): ConditionFacts => ({
  ...{
    verified: true,
    ranks: new Map(),
    missing: new Set<string>(),
    highestOnly: undefined,
    traits: traits(),
    reported: null,
  },
  ...change,
});

// ROBLOX-14
describe('Conditions on the account itself', () => {
  it('A condition on the account is met by Roblox’s answer about the account', () => {
    expect([premium, badge, aged(29), aged(30), aged(31)].map((wanted) => matches(wanted, facts()))).to.deep.equal([
      ...[true, true, true, true, false],
    ]);
    const other = facts({ traits: traits({ premium: false, ageDays: 0 }) });
    expect([premium, { ...badge, id: '78' }, aged(1)].map((wanted) => matches(wanted, other))).to.deep.equal([
      ...[false, false, false],
    ]);
  });

  it('Each condition on the account is undecided while Roblox has not answered about it', () => {
    for (const nothing of [facts({ traits: undefined }), facts({ traits: traits({ ...unknown }) })]) {
      expect([premium, badge, aged(1)].map((wanted) => matches(wanted, nothing))).to.deep.equal([null, null, null]);
    }
    const half = facts({ traits: traits({ ageDays: null }) });
    expect([premium, badge, aged(1)].map((wanted) => matches(wanted, half))).to.deep.equal([true, true, null]);
  });

  it('An unverified person meets no condition on an account, whatever was read of one', () => {
    const unverified = facts({ verified: false });
    expect([premium, badge, aged(1)].map((wanted) => matches(wanted, unverified))).to.deep.equal([false, false, false]);
  });

  it('Conditions on the account are found within others, and each item once', () => {
    const pass = { type: 'owns_item', kind: 'game_pass', id: '77' } as const;
    const whole: Condition = { type: 'all', of: [badge, { type: 'not', of: { type: 'any', of: [pass, aged(3)] } }] };
    const others: Condition[] = [{ type: 'verified' }, premium, { type: 'group_member', groupId: '1' }, badge];
    const found = traitConditionsOf([whole, ...others]);
    expect(found).to.deep.equal([badge, pass, aged(3), premium, badge]);
    expect(itemsOf(found)).to.deep.equal([
      { kind: 'badge', id: '77' },
      { kind: 'game_pass', id: '77' },
    ]);
    expect(traitConditionsOf([{ type: 'verified' }])).to.deep.equal([]);
  });

  it('A condition on the account’s age asks for at most ten years', () => {
    expect(longestAgeDays).to.equal(3_650);
    expect(condition.safeParse(aged(3_650)).success).to.equal(true);
    expect(condition.safeParse(aged(3_651)).success).to.equal(false);
  });
});

describe('Conditions on a group', () => {
  const held = [{ gameRoleId: '11', name: 'Member', rank: 1 }];
  const ofGroup: Condition[] = [
    { type: 'group_member', groupId: '1' },
    { type: 'group_rank', groupId: '1', min: 1, max: 1 },
    { type: 'group_role', groupId: '1', gameRoleId: '11' },
    { type: 'group_roles', groupId: '1', match: 'name' },
  ];

  it('A condition on a group is met by one role in it, and by none without', () => {
    const inside = facts({ ranks: new Map([['1', held]]) });
    expect(ofGroup.map((wanted) => matches(wanted, inside))).to.deep.equal([true, true, true, true]);
    expect(ofGroup.map((wanted) => matches(wanted, facts()))).to.deep.equal([false, false, false, false]);
  });

  it('A condition on a group is undecided where nothing is known of the group', () => {
    const unknown = facts({ ranks: new Map([['1', held]]), missing: new Set(['1']) });
    expect(ofGroup.map((wanted) => matches(wanted, unknown))).to.deep.equal([null, null, null, null]);
  });
});

const unknown: Partial<GameTraits> = { premium: null, ageDays: null, owns: () => null };
