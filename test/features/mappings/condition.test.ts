import { expect } from 'chai';
import fc from 'fast-check';
import { z } from 'zod';
import {
  type Condition,
  type ConditionFacts,
  condition,
  conditionTree,
  groupIdsOf,
  leavesOf,
  matches,
} from '../../../src/features/mappings/condition.js';

const groupIds = ['1', '2', '3'];

/** Roles in small groups, so that conditions and people often meet. */
const groupId = fc.constantFrom(...groupIds);
const gameRoleId = fc.constantFrom('11', '12', '13');
const rank = fc.integer({ min: 0, max: 5 });

const leaf: fc.Arbitrary<Condition> = fc.oneof(
  fc.constant<Condition>({ type: 'verified' }),
  fc.constant<Condition>({ type: 'unverified' }),
  fc.record({ type: fc.constant('group_member' as const), groupId }),
  fc
    .tuple(groupId, rank, rank)
    .map(([id, a, b]) => ({ type: 'group_rank' as const, groupId: id, min: Math.min(a, b), max: Math.max(a, b) })),
  fc.record({ type: fc.constant('group_role' as const), groupId, gameRoleId }),
);

function conditionsOf(levels: number): fc.Arbitrary<Condition> {
  if (levels === 1) return leaf;
  const part = conditionsOf(levels - 1);
  const parts = fc.array(part, { minLength: 1, maxLength: 4 });
  return fc.oneof(
    leaf,
    parts.map((of): Condition => ({ type: 'all', of })),
    parts.map((of): Condition => ({ type: 'any', of })),
    part.map((of): Condition => ({ type: 'not', of })),
  );
}

const heldRoles = fc.uniqueArray(
  fc.record({ gameRoleId, name: fc.constant('role'), rank: fc.integer({ min: 1, max: 5 }) }),
  { minLength: 1, maxLength: 3, selector: (role) => role.gameRoleId },
);
const person: fc.Arbitrary<ConditionFacts> = fc.record({
  verified: fc.boolean(),
  ranks: fc.array(fc.tuple(groupId, heldRoles)).map((entries) => new Map(entries)),
  missing: fc.constant(new Set<string>()),
  highestOnly: fc.constant(undefined),
  traits: fc.constant(undefined),
  reported: fc.constant(null),
});
const conditions = conditionsOf(3);
const several = fc.array(conditionsOf(2), { minLength: 1, maxLength: 5 });

const not = (of: Condition): Condition => ({ type: 'not', of });

function issuesOf(input: unknown): { path: string; message: string }[] {
  const result = condition.safeParse(input);
  return (result.error?.issues ?? []).map(({ path, message }) => ({ path: path.join('.'), message }));
}

function nested(levels: number): unknown {
  let inner: unknown = { type: 'verified' };
  for (let level = 1; level < levels; level += 1) inner = { type: 'not', of: inner };
  return inner;
}

// MAP-1, MAP-2, MAP-3
describe('People matched by a condition', () => {
  const member: ConditionFacts = {
    verified: true,
    ranks: new Map([
      [
        '1',
        [
          { gameRoleId: '12', name: 'Officer', rank: 100 },
          { gameRoleId: '11', name: 'Member', rank: 1 },
        ],
      ],
    ]),
    missing: new Set(),
    highestOnly: undefined,
    traits: undefined,
    reported: null,
  };
  const stranger: ConditionFacts = { ...member, verified: false, ranks: new Map() };
  const cases: { wanted: Condition; ofMember: boolean; ofStranger: boolean }[] = [
    { wanted: { type: 'verified' }, ofMember: true, ofStranger: false },
    { wanted: { type: 'unverified' }, ofMember: false, ofStranger: true },
    { wanted: { type: 'group_member', groupId: '1' }, ofMember: true, ofStranger: false },
    { wanted: { type: 'group_member', groupId: '2' }, ofMember: false, ofStranger: false },
    { wanted: { type: 'group_rank', groupId: '1', min: 100, max: 100 }, ofMember: true, ofStranger: false },
    { wanted: { type: 'group_rank', groupId: '1', min: 1, max: 99 }, ofMember: true, ofStranger: false },
    { wanted: { type: 'group_rank', groupId: '1', min: 2, max: 99 }, ofMember: false, ofStranger: false },
    { wanted: { type: 'group_rank', groupId: '1', min: 101, max: 255 }, ofMember: false, ofStranger: false },
    { wanted: { type: 'group_rank', groupId: '1', min: 0, max: 0 }, ofMember: false, ofStranger: false },
    { wanted: { type: 'group_role', groupId: '1', gameRoleId: '11' }, ofMember: true, ofStranger: false },
    { wanted: { type: 'group_role', groupId: '1', gameRoleId: '13' }, ofMember: false, ofStranger: false },
    { wanted: { type: 'group_role', groupId: '2', gameRoleId: '11' }, ofMember: false, ofStranger: false },
    { wanted: not({ type: 'group_member', groupId: '1' }), ofMember: false, ofStranger: true },
  ];
  for (const { wanted, ofMember, ofStranger } of cases) {
    it(`The condition ${JSON.stringify(wanted)} is ${ofMember} of a member and ${ofStranger} of an unlinked person`, () => {
      expect(matches(wanted, member)).to.equal(ofMember);
      expect(matches(wanted, stranger)).to.equal(ofStranger);
    });
  }
});

describe('Laws of conditions', () => {
  it('Not of all is any of not, and not of any is all of not (de Morgan)', () => {
    fc.assert(
      fc.property(several, person, (of, facts) => {
        const each = of.map(not);
        expect(matches(not({ type: 'all', of }), facts)).to.equal(matches({ type: 'any', of: each }, facts));
        expect(matches(not({ type: 'any', of }), facts)).to.equal(matches({ type: 'all', of: each }, facts));
      }),
    );
  });

  it('The order of the parts of all and any does not matter', () => {
    const shuffled = several.chain((of) =>
      fc.tuple(fc.constant(of), fc.shuffledSubarray(of, { minLength: of.length })),
    );
    fc.assert(
      fc.property(shuffled, person, fc.constantFrom('all' as const, 'any' as const), ([of, mixed], facts, type) => {
        expect(matches({ type, of: mixed }, facts)).to.equal(matches({ type, of }, facts));
      }),
    );
  });

  it('A double not undoes itself, and a single one always decides otherwise', () => {
    fc.assert(
      fc.property(conditions, person, (wanted, facts) => {
        expect(matches(not(not(wanted)), facts)).to.equal(matches(wanted, facts));
        expect(matches(not(wanted), facts)).to.equal(!matches(wanted, facts));
      }),
    );
  });

  it('A condition that is decided while groups are not known stays so, whatever they turn out to be', () => {
    fc.assert(
      fc.property(conditions, person, fc.subarray(groupIds), (wanted, facts, missing) => {
        const early = matches(wanted, { ...facts, missing: new Set(missing) });
        if (early !== null) expect(matches(wanted, facts)).to.equal(early);
        else expect(groupIdsOf(wanted).some((id) => missing.includes(id))).to.equal(true);
      }),
    );
  });

  it('All and any of one part are that part', () => {
    fc.assert(
      fc.property(conditions, person, (part, facts) => {
        expect(matches({ type: 'all', of: [part] }, facts)).to.equal(matches(part, facts));
        expect(matches({ type: 'any', of: [part] }, facts)).to.equal(matches(part, facts));
      }),
    );
  });

  it('Only the groups that groupIdsOf names can change the outcome of a condition', () => {
    fc.assert(
      fc.property(conditions, person, (wanted, facts) => {
        const named = groupIdsOf(wanted);
        const ranks = new Map([...facts.ranks].filter(([id]) => named.includes(id)));
        expect(matches(wanted, { ...facts, ranks })).to.equal(matches(wanted, facts));
        expect(named).to.deep.equal([...new Set(named)]);
      }),
    );
  });

  it('A condition of four levels passes as it is', () => {
    fc.assert(
      fc.property(conditionsOf(4), (wanted) => {
        expect(condition.parse(JSON.parse(JSON.stringify(wanted)))).to.deep.equal(wanted);
      }),
    );
  });
});

describe('Conditions that are refused', () => {
  it('A fifth level of a condition is refused by its path', () => {
    expect(issuesOf(nested(4))).to.deep.equal([]);
    expect(issuesOf(nested(5))).to.deep.equal([{ path: 'of.of.of.of', message: 'is nested deeper than 4 levels' }]);
    const deepSecond = { type: 'any', of: [{ type: 'verified' }, nested(4)] };
    expect(issuesOf(deepSecond)).to.deep.equal([{ path: 'of.1.of.of.of', message: 'is nested deeper than 4 levels' }]);
  });

  it('A condition with as many levels as fit into a body is refused without exhausting the stack', () => {
    const text = `${'{"type":"not","of":'.repeat(3_200)}{"type":"verified"}${'}'.repeat(3_200)}`;
    expect(Buffer.byteLength(text)).to.be.within(60_000, 65_536);
    expect(issuesOf(JSON.parse(text))).to.deep.equal([
      { path: 'of.of.of.of', message: 'is nested deeper than 4 levels' },
    ]);
  });

  it('A condition is refused with all faults in one answer, each with its path', () => {
    const input = {
      type: 'all',
      of: [
        { type: 'group_rank', groupId: '7', min: 20, max: 10 },
        { type: 'group_rank', groupId: '7', min: -1, max: 256 },
        { type: 'group_member', groupId: 7 },
        { type: 'verified', extra: 1 },
        { type: 'friend' },
        'verified',
        { type: 'any', of: [] },
        { type: 'not', of: [{ type: 'verified' }] },
      ],
    };
    expect(issuesOf(input).map(({ path }) => path)).to.have.members([
      'of.0.max',
      'of.1.min',
      'of.1.max',
      'of.2.groupId',
      'of.3',
      'of.4.type',
      'of.5',
      'of.6.of',
      'of.7.of',
    ]);
    expect(issuesOf(input)).to.deep.include({ path: 'of.0.max', message: 'must not be less than min' });
  });

  it('A condition of more than ten parts is refused', () => {
    const of = Array.from({ length: 11 }, () => ({ type: 'verified' }));
    expect(issuesOf({ type: 'all', of }).map(({ path }) => path)).to.deep.equal(['of']);
    expect(issuesOf({ type: 'all', of: of.slice(1) })).to.deep.equal([]);
  });

  for (const input of [null, undefined, 1, 'all', [], {}, { type: 'all' }, { type: 'all', of: {} }]) {
    it(`${JSON.stringify(input)} is refused as a condition with one issue`, () => {
      expect(issuesOf(input)).to.have.length(1);
    });
  }
});

describe('Parts and schema of conditions', () => {
  const whole: Condition = {
    type: 'all',
    of: [
      { type: 'verified' },
      { type: 'not', of: { type: 'any', of: [{ type: 'group_member', groupId: '2' }, { type: 'unverified' }] } },
      { type: 'group_rank', groupId: '1', min: 1, max: 2 },
      { type: 'group_role', groupId: '2', gameRoleId: '11' },
    ],
  };

  it('A condition names each leaf by its path and each group once', () => {
    expect(leavesOf(whole).map(({ path, leaf: { type } }) => `${path} ${type}`)).to.deep.equal([
      'of.0 verified',
      'of.1.of.of.0 group_member',
      'of.1.of.of.1 unverified',
      'of.2 group_rank',
      'of.3 group_role',
    ]);
    expect(leavesOf({ type: 'verified' })).to.deep.equal([{ path: '', leaf: { type: 'verified' } }]);
    expect(groupIdsOf(whole)).to.deep.equal(['2', '1']);
  });

  it('The API’s documentation defines a condition once, recursively, for input and output', () => {
    for (const io of ['input', 'output'] as const) {
      const schema = z.toJSONSchema(z.strictObject({ inward: condition, outward: conditionTree }), { io });
      expect(schema.properties).to.deep.equal({
        inward: { $ref: '#/$defs/Condition' },
        outward: { $ref: '#/$defs/Condition' },
      });
      expect(schema.$defs?.Condition?.oneOf).to.have.length(conditionTree.options.length);
      expect(JSON.stringify(schema.$defs?.AllCondition)).to.contain('"items":{"$ref":"#/$defs/Condition"}');
    }
  });
});
