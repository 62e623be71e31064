import { expect } from 'chai';
import { type Condition, factConditionsOf, matches } from '../../../src/features/mappings/condition.js';
import { type FactValue, factCondition, factValue, meetsFact } from '../../../src/features/mappings/reported-facts.js';

// FACT-10
describe('Facts in conditions', () => {
  const level = { type: 'fact', key: 'level', atLeast: 10 } as const;
  const inGroup = { type: 'group_member', groupId: '1' } as const;

  it('Those within all, any and not are found, and nothing else', () => {
    const whole: Condition = {
      type: 'all',
      of: [{ type: 'verified' }, { type: 'not', of: { type: 'any', of: [level, inGroup] } }],
    };
    expect(factConditionsOf([whole, inGroup])).to.deep.equal([level]);
  });

  it('A fact without an account is not met', () => {
    const facts = { verified: false, ranks: new Map(), missing: new Set<string>(), highestOnly: undefined };
    expect(matches(level, { ...facts, traits: undefined, reported: null })).to.equal(false);
  });

  for (const [wanted, met, unmet] of [
    [{ atLeast: 10 }, [10, 11], [9, true, '10']],
    [{ atMost: 10 }, [10, -1], [11, false]],
    [{ atLeast: 10, atMost: 10 }, [10], [9, 11]],
    [{ is: 'red' }, ['red'], ['Red', '', true, 1]],
    [{ is: true }, [true], [false, 'true', 1]],
    [{ is: 0 }, [0], [1, false, '']],
  ] as const) {
    it(`${JSON.stringify(wanted)} is met by ${JSON.stringify(met)}, and not by ${JSON.stringify(unmet)}`, () => {
      const fact = factCondition.parse({ type: 'fact', key: 'level', ...wanted });
      const meets = (value: FactValue) => meetsFact(fact, value);
      expect([...met].map(meets)).to.deep.equal(met.map(() => true));
      expect([...unmet].map(meets)).to.deep.equal(unmet.map(() => false));
      expect(meetsFact(fact, undefined)).to.equal(null);
    });
  }

  it('A fact is a boolean, a number of exact size, or a line of at most 64 characters', () => {
    const most = Number.MAX_SAFE_INTEGER;
    for (const value of [true, 0.5, most, -most, '', 'x'.repeat(64)]) expect(factValue.parse(value)).to.equal(value);
    const refused = [null, most + 1, -most - 1, Number.NaN, 'x'.repeat(65), 'a\nb', '\ud800', [1]];
    for (const value of refused) expect(factValue.safeParse(value).success, String(value)).to.equal(false);
  });

  it('A condition asks for a value with a visible character, or for bounds in their order', () => {
    const refusals = [{ is: ' ' }, { is: '' }, {}, { is: 1, atLeast: 1 }, { atLeast: 2, atMost: 1 }].map((wanted) => {
      const { error } = factCondition.safeParse({ type: 'fact', key: 'level', ...wanted });
      return error?.issues[0]?.message;
    });
    const either = 'either is, or atLeast and atMost or one of them';
    const empty = 'must not be empty';
    expect(refusals).to.deep.equal([empty, empty, either, either, 'must not be less than atLeast']);
    const { error } = factCondition.safeParse({ type: 'fact', key: 'Level', is: 1 });
    expect(error?.issues[0]?.message).to.equal('must have 1 to 32 of a to z, 0 to 9 and _');
  });
});
