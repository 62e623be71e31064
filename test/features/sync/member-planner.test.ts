import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import fc from 'fast-check';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { noRestrictions } from '../../../src/core/settings/restrictions.js';
import { type Condition, factConditionsOf, traitConditionsOf } from '../../../src/features/mappings/condition.js';
import { noTraits } from '../../../src/features/mappings/game-traits.js';
import type { FactValue } from '../../../src/features/mappings/reported-facts.js';
import type { GuildRules, MappingRule, MemberNow } from '../../../src/features/sync/plan/guild-rules.js';
import { judge } from '../../../src/features/sync/plan/judge-member.js';
import { MemberPlanner } from '../../../src/features/sync/plan/member-planner.js';
import { planSync, type SyncPlan } from '../../../src/features/sync/plan/plan.js';
import type { SeenMember } from '../../../src/features/sync/plan/seen-member.js';
import type { DiscordRole, GuildFacts } from '../../../src/platforms/discord/guild-facts.js';

const mapped = ['201', '202', '203', '204'];
const unmapped = ['301', '302'];
const groupIds = ['7', '8'];
const { ManageRoles, ManageNicknames } = PermissionFlagsBits;

const role = (roleId: string, position = 1): DiscordRole => ({
  roleId,
  name: roleId,
  position,
  managed: false,
  permissions: 0n,
});

/** 204 is above the bot, so that it is blocked. */
const botRole = role('900', 50);
const roles = ['201', '202', '203', ...unmapped].map((id) => role(id));
const facts: GuildFacts = {
  guildId: '100',
  ownerId: '1',
  roles: new Map([...roles, role('204', 60), botRole].map((each) => [each.roleId, each])),
  bot: { roleIds: ['900'], permissions: ManageRoles | ManageNicknames, highestRole: botRole },
};

const aGroup = fc.constantFrom(...groupIds);
/** Every kind of condition without parts: the compiler asks for a new one. */
const leaves: {
  [Type in Exclude<Condition['type'], 'all' | 'any' | 'not'>]: fc.Arbitrary<Condition & { type: Type }>;
} = {
  verified: fc.constant({ type: 'verified' }),
  unverified: fc.constant({ type: 'unverified' }),
  group_member: aGroup.map((groupId) => ({ type: 'group_member', groupId })),
  group_rank: fc
    .tuple(aGroup, fc.constantFrom(1, 50))
    .map(([groupId, min]) => ({ type: 'group_rank', groupId, min, max: 255 })),
  group_role: aGroup.map((groupId) => ({ type: 'group_role', groupId, gameRoleId: `${groupId}50` })),
  group_roles: aGroup.map((groupId) => ({ type: 'group_roles', groupId, match: 'name' })),
  premium: fc.constant({ type: 'premium' }),
  account_age: fc.constant({ type: 'account_age', days: 30 }),
  owns_item: fc.constant({ type: 'owns_item', kind: 'badge', id: '9' }),
  fact: fc.constantFrom({ type: 'fact', key: 'level', atLeast: 10 }, { type: 'fact', key: 'clan', is: 'red' }),
};
const leaf: fc.Arbitrary<Condition> = fc.oneof(...Object.values<fc.Arbitrary<Condition>>(leaves));
const condition = fc.oneof(
  { weight: 3, arbitrary: leaf },
  leaf.map((of): Condition => ({ type: 'not', of })),
  fc.array(leaf, { minLength: 1, maxLength: 3 }).map((of): Condition => ({ type: 'any', of })),
);
const mapping: fc.Arbitrary<MappingRule> = fc.record({
  condition,
  roleIds: fc.uniqueArray(fc.constantFrom(...mapped), { minLength: 1, maxLength: 2 }),
  removeWhenUnmatched: fc.boolean(),
  nickname: fc.constantFrom(null, { template: '{groupRole:8} {gameUsername}', order: 1 }),
});
const rules: fc.Arbitrary<GuildRules> = fc
  .record({
    mappings: fc.array(mapping, { maxLength: 5 }),
    nickname: fc.record({
      enabled: fc.boolean(),
      template: fc.constantFrom('{gameUsername}', '{groupRank:7} {chatUsername}'),
    }),
    bypass: fc.record({
      keepRoles: fc.subarray(['203', '301'], { maxLength: 1 }),
      keepNickname: fc.subarray(['302'], { maxLength: 1 }),
    }),
    unlink: fc.record({ removeRoles: fc.boolean(), resetNickname: fc.boolean() }),
    missing: fc.subarray(groupIds).map((ids) => new Set(ids)),
    pausedRoleIds: fc.subarray(mapped, { maxLength: 2 }),
    deniedGroupIds: fc.subarray(groupIds, { maxLength: 1 }),
    restrictionsCeiling: fc.constantFrom(null, null, '202'),
  })
  .map(({ mappings, missing, pausedRoleIds, deniedGroupIds, restrictionsCeiling, ...settings }) => ({
    mappings,
    missing,
    pausedRoleIds,
    restrictionsCeiling,
    groupIds,
    naming: mappings.flatMap((each) => (each.nickname ? { ...each, nickname: each.nickname } : [])),
    traitsWanted: traitConditionsOf(mappings.map((each) => each.condition)),
    factsWanted: factConditionsOf(mappings.map((each) => each.condition)),
    settings: { ...defaultSettings, ...settings, restrictions: { ...noRestrictions, deniedGroupIds } },
  }));

const held = (rank: number) => [{ gameRoleId: String(rank), name: `Rank ${rank}`, rank }];
/** Few and shared, as `readMembershipsOfMany` gives them. */
const allRanks = [
  new Map(),
  new Map([['7', held(1)]]),
  new Map([['7', held(60)]]),
  new Map([
    ['7', held(1)],
    ['8', held(60)],
  ]),
];
/** Each fact of Discord about a member that a condition may read: the compiler asks for a new one. */
const seenFacts: { [Fact in keyof SeenMember]-?: fc.Arbitrary<NonNullable<SeenMember[Fact]> | SeenMember[Fact]> } = {
  chatUserId: fc.constantFrom('2', '3'),
  username: fc.constantFrom('bob', 'ann'),
  roleIds: fc.subarray([...mapped, ...unmapped]),
  nickname: fc.constantFrom(null, 'Builder', 'Other', '1 bob'),
  profile: fc.constant('Bob'),
  pending: fc.boolean(),
  isGuest: fc.constant(true),
};
const seen = fc.record(seenFacts, { requiredKeys: ['chatUserId', 'username', 'roleIds', 'nickname'] });
const now: fc.Arbitrary<MemberNow> = fc
  .record({
    member: seen,
    state: fc.constantFrom('linked' as const, 'unlinked' as const, 'joined' as const, null),
    ranks: fc.constantFrom(...allRanks),
    premium: fc.constantFrom(true, false, null),
    ageDays: fc.constantFrom(3, 40, null),
    owned: fc.constantFrom(true, false, null),
    level: fc.constantFrom(undefined, 3, 12),
    clan: fc.constantFrom(undefined, 'red', 'blue', 12),
    gone: fc.constantFrom(false, false, true),
    ceilingRoleId: fc.constantFrom(null, null, '202', '900'),
    voucher: fc.constantFrom(
      undefined,
      { chatUserId: '1', ceilingRoleId: '202' },
      { chatUserId: '1', ceilingRoleId: null },
      { chatUserId: '2', ceilingRoleId: null },
    ),
  })
  .map(({ member, state, ranks, premium, ageDays, owned, voucher, gone, ...reported }) => ({
    member,
    stored:
      state === null
        ? null
        : {
            state,
            ...(state === 'unlinked' && { givenNickname: 'Builder' }),
            ...(state === 'linked' && gone && { goneSince: new Date(0) }),
            ...(state === 'linked' && { facts: factsOf(reported) }),
            ...(state === 'linked' && voucher && { word: { method: 'imported' as const, voucher } }),
          },
    game: state === 'linked' ? { gameUserId: '5', gameUsername: 'Builder', gameDisplayName: 'Bob' } : null,
    ranks: state === 'linked' && !gone ? ranks : new Map(),
    traits: state === 'linked' && gone ? noTraits : { premium, ageDays, owns: () => owned, isPrivate: false },
  }));

/** Facts as they are stored, about the account that they have. */
function factsOf({
  level,
  clan,
  ceilingRoleId,
}: Record<'level' | 'clan', FactValue | undefined> & { ceilingRoleId: string | null }) {
  const known = Object.entries({ level, clan }).flatMap(([key, value]) =>
    value === undefined ? [] : { key, value, at: new Date(0), ceilingRoleId },
  );
  return { gameUserId: '5', rev: '1', values: known };
}

const isNothing = ({ add, remove, nickname, blocked, nicknameBlocked, sparedFrom }: SyncPlan): boolean =>
  add.length + remove.length + blocked.length === 0 &&
  nickname === undefined &&
  nicknameBlocked === null &&
  sparedFrom === undefined;

/** The member after the plan is done. */
const after = ({ member, ...rest }: MemberNow, { add, remove, nickname }: SyncPlan): MemberNow => {
  const roleIds = [...member.roleIds.filter((id) => !remove.includes(id)), ...add];
  return { ...rest, member: { ...member, roleIds, ...(nickname !== undefined && { nickname }) } };
};

describe('Plans of many members', () => {
  function expectEachAsAlone(given: GuildRules, members: readonly MemberNow[]): void {
    const planner = new MemberPlanner(given);
    for (const member of members) {
      const alone = planSync(judge(given, member, facts));
      expect(planner.plan(member, facts)).to.deep.equal(isNothing(alone) ? null : alone);
    }
  }

  it('The plan of each of many members is the same as that of the member alone', () => {
    const people = fc.array(now, { minLength: 1, maxLength: 20 });
    fc.assert(fc.property(rules, people, expectEachAsAlone), { numRuns: 300 });
  });

  // Random members rarely share a verdict, so a fact that is missing from its key needs these.
  it('By every kind of condition, members alike on Roblox and unlike on Discord are planned as each alone', () => {
    for (const wanted of Object.values<fc.Arbitrary<Condition>>(leaves)) {
      const byOne = fc.tuple(rules, mapping, wanted).map(([given, each, condition]): GuildRules => {
        const settings = { ...given.settings, nickname: { ...given.settings.nickname, enabled: false } };
        const mappings = [{ ...each, condition, nickname: null }];
        return {
          ...given,
          settings,
          mappings,
          naming: [],
          traitsWanted: traitConditionsOf([condition]),
          factsWanted: factConditionsOf([condition]),
        };
      });
      const alike = fc
        .tuple(now, fc.array(seen, { minLength: 2, maxLength: 10, size: 'max' }))
        .map(([person, members]) => members.map((member): MemberNow => ({ ...person, member })));
      fc.assert(fc.property(byOne, alike, expectEachAsAlone), { numRuns: 250 });
    }
  });

  it('A plan never touches a role that no mapping names, and leaves nothing to do once it is done', () => {
    fc.assert(
      fc.property(rules, now, (given, member) => {
        const planner = new MemberPlanner(given);
        const plan = planner.plan(member, facts);
        if (plan === null) return;
        const named = new Set(given.mappings.flatMap(({ roleIds }) => roleIds));
        for (const roleId of [...plan.add, ...plan.remove]) expect(named.has(roleId), roleId).to.equal(true);
        const again = planner.plan(after(member, plan), facts);
        expect(again?.add ?? []).to.deep.equal([]);
        expect(again?.remove ?? []).to.deep.equal([]);
        expect(again?.nickname).to.equal(undefined);
      }),
      { numRuns: 300 },
    );
  });

  it('A plan does not depend on the order of the mappings', () => {
    fc.assert(
      fc.property(rules, now, (given, member) => {
        const reversed = { ...given, mappings: [...given.mappings].reverse() };
        expect(new MemberPlanner(reversed).plan(member, facts)).to.deep.equal(
          new MemberPlanner(given).plan(member, facts),
        );
      }),
    );
  });

  // PLAN-6
  it('A plan takes no role of a paused mapping, and gives it only for another mapping', () => {
    fc.assert(
      fc.property(rules, now, (given, member) => {
        const plan = new MemberPlanner(given).plan(member, facts);
        const without = new MemberPlanner({ ...given, pausedRoleIds: [] }).plan(member, facts);
        expect(plan?.remove.filter((roleId) => given.pausedRoleIds.includes(roleId)) ?? []).to.deep.equal([]);
        expect(plan?.add ?? []).to.deep.equal(without?.add ?? []);
      }),
      { numRuns: 300 },
    );
  });

  it('A plan takes no role that hangs on a group about which nothing is known', () => {
    fc.assert(
      fc.property(rules, now, (given, member) => {
        const plan = new MemberPlanner({ ...given, missing: new Set(groupIds) }).plan(member, facts);
        const undecided = given.mappings.filter(
          ({ condition: { type } }) => type === 'group_member' || type === 'group_rank',
        );
        const roleIds = new Set(undecided.flatMap((each) => each.roleIds));
        expect(plan?.remove.filter((roleId) => roleIds.has(roleId)) ?? []).to.deep.equal([]);
      }),
    );
  });
});
