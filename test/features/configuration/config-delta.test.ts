import { expect } from 'chai';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import {
  deltaBetween,
  isEmpty,
  type RulesAtOnce,
  withCompleted,
  withoutDelta,
} from '../../../src/features/configuration/config-delta.js';
import type { GuildConfig } from '../../../src/features/configuration/config-document.js';
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

// CONF-13
describe('The end of a change that was written in part', () => {
  const groupIds = ['11', '12', '13'];
  const document = (parts: Partial<GuildConfig>): GuildConfig => ({
    ...{ groups: [], mappings: [], settings: defaultSettings },
    ...parts,
  });
  const entry = (days: number): GuildConfig['mappings'][number] => ({
    ...{ name: null, condition: { type: 'account_age', days }, roles: ['100000000000000001'], nickname: null },
    ...{ removeWhenUnmatched: true, enabled: true },
  });
  const inGroup = (groupId: string): Mapping => ({ ...mappingOf(1), condition: { type: 'group_member', groupId } });
  const attached = (groupId: string) => ({
    ...{ guildId, groupId, name: groupId, roles: [], addedAt: new Date(0), refreshedAt: new Date(0) },
    ...{ memberCount: 0, gone: false },
  });
  const stored = (groups: string[], mappings: Mapping[], settings = defaultSettings): RulesAtOnce => ({
    snapshot: { ...rulesWith(mappings).snapshot, groups: groups.map(attached) },
    settings,
  });
  const daysOf = ({ mappings }: GuildConfig): string =>
    mappings.map(({ condition }) => (condition.type === 'account_age' ? condition.days : condition.type)).join('');

  it('Writes already made are not made twice, and mappings of others stay, of several equal ones too', () => {
    const change = {
      before: document({ mappings: [entry(1), entry(2)] }),
      wish: document({ mappings: [entry(1), entry(1)] }),
    };
    for (const [now = '', finished, takenBack] of [
      ['12', '11', '12'],
      ['1', '11', '12'],
      ['11', '11', '12'],
      ['123', '131', '123'],
      ['311', '311', '312'],
    ]) {
      const rules = stored(
        [],
        [...now].map((days) => mappingOf(Number(days))),
      );
      expect(daysOf(withCompleted(rules, change, 'wish'))).to.equal(finished);
      expect(daysOf(withCompleted(rules, change, 'before'))).to.equal(takenBack);
    }
  });

  it('Groups of others stay attached, and so does a group that somebody else’s mapping has come to need', () => {
    const change = { before: document({ groups: ['11'] }), wish: document({ groups: ['12'] }) };
    const groupsOf = (now: RulesAtOnce, end: 'wish' | 'before') => withCompleted(now, change, end).groups;
    expect(groupsOf(stored(['11'], []), 'wish')).to.deep.equal(['12']);
    expect(groupsOf(stored(['12'], []), 'before')).to.deep.equal(['11']);
    expect(groupsOf(stored(groupIds, []), 'wish')).to.deep.equal(['12', '13']);
    expect(groupsOf(stored(groupIds, [inGroup('11')]), 'wish')).to.deep.equal(['11', '12', '13']);
    const shown = { ...defaultSettings, nickname: { enabled: true, template: '{groupRole:12}' } };
    expect(groupsOf(stored(groupIds, [], shown), 'before')).to.deep.equal(groupIds);
  });

  it('A setting that somebody else has changed since keeps their value, and one that the document left out its own', () => {
    const { locale, mode } = defaultSettings;
    const { accounts: _, ...left } = defaultSettings;
    const wish = document({ settings: { ...left, mode: 'observe', autoLinkOnJoin: false } });
    const change = { before: document({}), wish };
    const now = stored([], [], { ...defaultSettings, locale: 'de', accounts: 'main' });
    expect(withCompleted(now, change, 'wish').settings).to.deep.equal({
      ...{ ...now.settings, mode: 'observe', autoLinkOnJoin: false },
    });
    const written = { ...now.settings, mode: 'observe' as const, autoLinkOnJoin: false };
    expect(withCompleted(stored([], [], written), change, 'before').settings).to.deep.equal(now.settings);
    const others = { ...change, wish: document({ settings: { ...defaultSettings, locale: 'fr' } }) };
    expect(withCompleted(now, others, 'wish').settings).to.deep.include({ locale: 'de', mode });
    expect(withCompleted(stored([], []), others, 'wish').settings).to.deep.include({ locale: 'fr' });
    expect(withCompleted(stored([], []), others, 'before').settings).to.deep.include({ locale });
  });
});
