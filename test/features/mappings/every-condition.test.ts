import { expect } from 'chai';
import { type Condition, type ConditionFacts, matches } from '../../../src/features/mappings/condition.js';

/** The facts about an officer of group 1 with Premium, an account of 30 days and every item, but for a change. */
const facts = (change: Partial<ConditionFacts> = {}): ConditionFacts => ({
  verified: true,
  ranks: new Map([['1', [{ gameRoleId: '12', name: 'Officer', rank: 100 }]]]),
  missing: new Set(),
  highestOnly: undefined,
  traits: { premium: true, ageDays: 30, owns: () => true, isPrivate: false },
  reported: new Map([['level', 12]]),
  ...change,
});
const traits = { premium: false, ageDays: 29, owns: () => false, isPrivate: false };

const outside = facts({ ranks: new Map() });
const unlinked = facts({ verified: false, ranks: new Map() });
const plain = facts({ traits });
/** Roblox has not answered about the group, or the account. */
const noGroup = facts({ ranks: new Map(), missing: new Set(['1']) });
const noTraits = facts({ traits: undefined });

interface Outcomes<Type extends Condition['type']> {
  wanted: Condition & { type: Type };
  met: ConditionFacts;
  unmet: ConditionFacts;
  /** A reason where the condition never depends on unknown facts. */
  unknown: ConditionFacts | string;
}

const ourLink = 'The link is our own document.';
const premium = { type: 'premium' } as const;
const ofGroup = { met: facts(), unmet: outside, unknown: noGroup };
const ofAccount = { met: facts(), unmet: plain, unknown: noTraits };

/** Every kind of condition: the compiler asks for a new one. */
const everyCondition: { [Type in Condition['type']]: Outcomes<Type> } = {
  verified: { wanted: { type: 'verified' }, met: facts(), unmet: unlinked, unknown: ourLink },
  unverified: { wanted: { type: 'unverified' }, met: unlinked, unmet: facts(), unknown: ourLink },
  group_member: { wanted: { type: 'group_member', groupId: '1' }, ...ofGroup },
  group_rank: { wanted: { type: 'group_rank', groupId: '1', min: 100, max: 100 }, ...ofGroup },
  group_role: { wanted: { type: 'group_role', groupId: '1', gameRoleId: '12' }, ...ofGroup },
  group_roles: { wanted: { type: 'group_roles', groupId: '1', match: 'name' }, ...ofGroup },
  premium: { wanted: premium, ...ofAccount },
  account_age: { wanted: { type: 'account_age', days: 30 }, ...ofAccount },
  owns_item: { wanted: { type: 'owns_item', kind: 'badge', id: '77' }, ...ofAccount },
  fact: {
    wanted: { type: 'fact', key: 'level', atLeast: 10 },
    met: facts(),
    unmet: facts({ reported: new Map([['level', 9]]) }),
    unknown: facts({ reported: new Map() }),
  },
  all: { wanted: { type: 'all', of: [{ type: 'verified' }, premium] }, ...ofAccount },
  any: { wanted: { type: 'any', of: [{ type: 'unverified' }, premium] }, ...ofAccount },
  not: { wanted: { type: 'not', of: premium }, met: plain, unmet: facts(), unknown: noTraits },
};

// MAP-2, ROBLOX-14
describe('Every condition', () => {
  for (const { wanted, met, unmet, unknown } of Object.values(everyCondition)) {
    it(`The condition ${wanted.type} is met, unmet and unknown by its facts`, () => {
      expect(matches(wanted, met), 'met').to.equal(true);
      expect(matches(wanted, unmet), 'unmet').to.equal(false);
      if (typeof unknown !== 'string') expect(matches(wanted, unknown), 'unknown').to.equal(null);
    });
  }
});
