import { expect } from 'chai';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import {
  deltaBetween,
  isEmpty,
  type RulesAtOnce,
  withoutDelta,
} from '../../../src/features/configuration/config-delta.js';
import type { Mapping } from '../../../src/features/mappings/mapping-model.js';

const guildId = '100000000000000000';
const bot = { roleId: '9', name: 'Bot', position: 99, managed: true, permissions: 0n };
const facts = {
  ...{ guildId, ownerId: '1', roles: new Map() },
  bot: { roleIds: ['9'], permissions: 0n, highestRole: bot },
};
const rulesWith = (mappings: Mapping[]): RulesAtOnce => ({
  snapshot: { plan: 'enterprise', facts, groups: [], mappings },
  settings: defaultSettings,
});

/** A mapping for accounts that are so many days old; `onRead` hears of each look at its condition. */
function mappingOf(days: number, onRead: () => void = () => undefined): Mapping {
  const condition = {
    type: 'account_age' as const,
    get days() {
      onRead();
      return days;
    },
  };
  const times = { createdAt: new Date(0), updatedAt: new Date(0) };
  return {
    ...{ _id: `map_${days}`, guildId, name: null, condition, roleIds: ['100000000000000001'], ...times },
    ...{ nickname: null, removeWhenUnmatched: true, enabled: true },
  };
}

describe('The difference between two states of a server’s rules', () => {
  // CONF-35
  it('The work to find and to take back a change of all mappings grows with their number, not with its square', () => {
    const looksFor = (count: number): number => {
      let looks = 0;
      const from = (first: number) =>
        rulesWith(
          Array.from({ length: count }, (_, place) =>
            mappingOf(first + place, () => {
              looks += 1;
            }),
          ),
        );
      const [before, after] = [from(1), from(10_000)];
      const delta = deltaBetween(before, after);
      expect([delta.mappings.came.length, delta.mappings.went.length]).to.deep.equal([count, count]);
      expect(withoutDelta(after, delta)?.mappings).to.have.length(count);
      return looks;
    };
    expect(looksFor(200)).to.equal(20 * looksFor(10));
  });

  // CONF-35
  it('Of two equal mappings only one is taken back when a change added one', () => {
    const [one, two] = [rulesWith([mappingOf(1), mappingOf(2)]), rulesWith([mappingOf(1), mappingOf(2), mappingOf(1)])];
    const delta = deltaBetween(one, two);
    expect([delta.mappings.came.length, delta.mappings.went.length]).to.deep.equal([1, 0]);
    expect(withoutDelta(two, delta)?.mappings).to.have.length(2);
    expect(isEmpty(deltaBetween(two, two))).to.equal(true);
  });

  // CONF-36
  it('A change is not taken back once one of its mappings is gone', () => {
    const delta = deltaBetween(rulesWith([]), rulesWith([mappingOf(1), mappingOf(2)]));
    expect(withoutDelta(rulesWith([mappingOf(2)]), delta)).to.equal(null);
    expect(withoutDelta(rulesWith([mappingOf(1), mappingOf(2), mappingOf(3)]), delta)?.mappings).to.have.length(1);
  });
});
