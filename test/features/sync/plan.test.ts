import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import fc from 'fast-check';
import { type MappingVerdict, type PlanInput, planSync, type SyncPlan } from '../../../src/features/sync/plan/plan.js';
import type { DiscordRole, GuildFacts } from '../../../src/platforms/discord/guild-facts.js';

const { ManageRoles, ManageNicknames, Administrator } = PermissionFlagsBits;
const guildId = '100';
const botRole: DiscordRole = { roleId: '900', name: 'Bot', position: 50, managed: true, permissions: 0n };
const role = (roleId: string, change: Partial<DiscordRole> = {}): DiscordRole => ({
  roleId,
  name: roleId,
  position: 1,
  managed: false,
  permissions: 0n,
  ...change,
});

function factsWith(roles: readonly DiscordRole[], permissions = ManageRoles | ManageNicknames): GuildFacts {
  const all = [role(guildId, { position: 0 }), botRole, ...roles];
  const bot = { roleIds: [botRole.roleId], permissions, highestRole: botRole };
  return { guildId, ownerId: '1', roles: new Map(all.map((each) => [each.roleId, each])), bot };
}

const plain = factsWith(['201', '202', '203', '204'].map((id) => role(id)));
const verdict = (kind: MappingVerdict['verdict'], roleIds: string[], removeWhenUnmatched = true): MappingVerdict => ({
  verdict: kind,
  roleIds,
  removeWhenUnmatched,
});

const plan = (input: Partial<Omit<PlanInput, 'member'>> & { member?: Partial<PlanInput['member']> }): SyncPlan =>
  planSync({
    verdicts: [],
    nickname: undefined,
    mayRemove: true,
    keepsRoles: false,
    facts: plain,
    ...input,
    member: { chatUserId: '2', roleIds: [], nickname: null, ...input.member },
  });

const nothing: SyncPlan = { add: [], remove: [], nickname: undefined, blocked: [], nicknameBlocked: null };

// SYNC-1, MAP-14
describe('Plans of a sync', () => {
  it('A plan adds the roles of matched mappings and takes those of unmatched ones, and no others', () => {
    const verdicts = [verdict('matched', ['201', '202']), verdict('unmatched', ['203'])];
    const changes = plan({ member: { roleIds: ['202', '203', '204'] }, verdicts });
    expect(changes).to.deep.equal({ ...nothing, add: ['201'], remove: ['203'] });
  });

  it('A plan is empty for a member with the due roles', () => {
    const verdicts = [verdict('matched', ['201']), verdict('unmatched', ['203'])];
    const member = { roleIds: ['204', '201'], nickname: 'Bob' };
    expect(plan({ member, verdicts, nickname: 'Bob' })).to.deep.equal(nothing);
  });

  it('A plan gives a role that one mapping gives, regardless of the others', () => {
    const verdicts = [verdict('unmatched', ['201']), verdict('matched', ['201']), verdict('undecided', ['201'])];
    expect(plan({ verdicts })).to.deep.equal({ ...nothing, add: ['201'] });
    expect(plan({ member: { roleIds: ['201'] }, verdicts })).to.deep.equal(nothing);
  });

  it('A plan leaves a role alone while one of its mappings is undecided or only ever adds', () => {
    const member = { roleIds: ['201', '202'] };
    const verdicts = [
      verdict('unmatched', ['201', '202']),
      verdict('undecided', ['201']),
      verdict('unmatched', ['202'], false),
    ];
    expect(plan({ member, verdicts })).to.deep.equal(nothing);
  });

  describe('Blocked changes', () => {
    const deleted = factsWith([role('202'), role('203')]);
    for (const [reason, roleId, facts] of [
      ['role_deleted', '201', deleted],
      ['everyone_role', guildId, plain],
      ['role_managed', '201', factsWith([role('201', { managed: true }), role('202')])],
      ['role_above_bot', '201', factsWith([role('201', { position: 51 }), role('202')])],
      // Discord: between equals the older role, with the smaller id, is the higher one.
      ['role_above_bot', '201', factsWith([role('201', { position: 50 }), role('202')])],
    ] as const) {
      it(`A plan names ${reason} as the obstacle of the role ${roleId}, and gives the other role`, () => {
        const verdicts = [verdict('matched', [roleId, '202'])];
        expect(plan({ verdicts, facts })).to.deep.equal({
          ...nothing,
          add: ['202'],
          blocked: [{ roleId, reason }],
        });
      });
    }

    it('A plan names missing_permission for each role when the bot may not manage roles', () => {
      const facts = factsWith([role('201'), role('202')], ManageNicknames);
      const verdicts = [verdict('matched', ['201']), verdict('unmatched', ['202'])];
      expect(plan({ member: { roleIds: ['202'] }, verdicts, facts, nickname: 'Bob' })).to.deep.equal({
        ...nothing,
        nickname: 'Bob',
        blocked: ['201', '202'].map((roleId) => ({ roleId, reason: 'missing_permission' })),
      });
    });

    it('A plan names role_above_bot for a role that should be taken', () => {
      const facts = factsWith([role('201', { position: 60 })]);
      const changes = plan({ member: { roleIds: ['201'] }, verdicts: [verdict('unmatched', ['201'])], facts });
      expect(changes).to.deep.equal({ ...nothing, blocked: [{ roleId: '201', reason: 'role_above_bot' }] });
    });

    it('A plan names nothing about blocked roles that need no change', () => {
      const facts = factsWith([role('201', { position: 60 })], 0n);
      const verdicts = [verdict('matched', ['201']), verdict('unmatched', ['202'])];
      expect(plan({ member: { roleIds: ['201'] }, verdicts, facts })).to.deep.equal(nothing);
    });
  });

  it('A bot with Administrator manages roles below its own, and gives a younger role of equal position', () => {
    const facts = factsWith([role('201', { position: 51 }), role('901', { position: 50 })], Administrator);
    expect(plan({ verdicts: [verdict('matched', ['201', '901'])], facts, nickname: 'Bob' })).to.deep.equal({
      ...nothing,
      add: ['901'],
      nickname: 'Bob',
      blocked: [{ roleId: '201', reason: 'role_above_bot' }],
    });
  });

  describe('The nickname in a plan', () => {
    const high = factsWith([role('201', { position: 60 })]);
    for (const [obstacle, person, facts, nicknameWaitsFor] of [
      ['guild_owner', { chatUserId: '1', roleIds: [] }, plain, undefined],
      ['member_above_bot', { chatUserId: '2', roleIds: ['201'] }, high, 'nickname:201'],
      ['missing_permission', { chatUserId: '2', roleIds: [] }, factsWith([], ManageRoles), 'nickname'],
    ] as const) {
      it(`A nickname is blocked by ${obstacle}, but only when it is to be changed`, () => {
        const blocked = plan({ member: person, facts, nickname: 'Bob' });
        const waits = nicknameWaitsFor && { nicknameWaitsFor };
        expect(blocked).to.deep.equal({ ...nothing, nicknameBlocked: obstacle, ...waits });
        expect(plan({ member: { ...person, nickname: 'Bob' }, facts, nickname: 'Bob' })).to.deep.equal(nothing);
        expect(plan({ member: { ...person, nickname: 'Al' }, facts })).to.deep.equal(nothing);
      });
    }

    it('A plan gives, changes or takes away a nickname, or leaves it unchanged', () => {
      expect(plan({ nickname: 'Bob' }).nickname).to.equal('Bob');
      expect(plan({ nickname: 'Bob', member: { nickname: 'Al' } }).nickname).to.equal('Bob');
      expect(plan({ nickname: null, member: { nickname: 'Al' } }).nickname).to.equal(null);
      expect(plan({ nickname: undefined, member: { nickname: 'Al' } }).nickname).to.equal(undefined);
    });
  });
});

describe('Plans of any sync', () => {
  const roleIds = ['101', '201', '202', '203', '204', '205', '950', guildId];
  const someRoles = fc.subarray(roleIds);
  const roles = fc
    .subarray(roleIds.slice(0, -1))
    .chain((ids) =>
      fc.tuple(
        ...ids.map((id) =>
          fc
            .record({ position: fc.integer({ min: 1, max: 99 }), managed: fc.boolean() })
            .map((change) => role(id, change)),
        ),
      ),
    );
  const permissions = fc.constantFrom(0n, ManageRoles, ManageNicknames, ManageRoles | ManageNicknames, Administrator);
  const verdicts = fc.array(
    fc.record({
      verdict: fc.constantFrom('matched', 'unmatched', 'undecided'),
      roleIds: someRoles,
      removeWhenUnmatched: fc.boolean(),
    }),
    { maxLength: 6 },
  );
  const nickname = fc.constantFrom('Al', 'Bob', null);
  const input = fc
    .record({
      facts: fc.tuple(roles, permissions).map(([some, bits]) => factsWith(some, bits)),
      held: someRoles,
      chatUserId: fc.constantFrom('1', '2'),
      nickname,
      verdicts,
      wish: fc.option(nickname, { nil: undefined }),
      mayRemove: fc.boolean(),
      keepsRoles: fc.constant(false),
    })
    .map(({ facts, held, chatUserId, nickname: now, verdicts: all, wish, mayRemove, keepsRoles }): PlanInput => {
      const existing = held.filter((id) => id !== guildId && facts.roles.has(id));
      const member = { chatUserId, roleIds: existing, nickname: now };
      return { member, verdicts: all, nickname: wish, mayRemove, keepsRoles, facts };
    });
  const always = (check: (given: PlanInput, made: SyncPlan) => void) =>
    fc.assert(
      fc.property(input, (given) => {
        check(given, planSync(given));
      }),
      { numRuns: 500 },
    );
  const named = (all: readonly MappingVerdict[], among: (each: MappingVerdict) => boolean = () => true) =>
    all.filter(among).flatMap((each) => each.roleIds);

  it('A plan touches only roles that a mapping names, and each once', () => {
    always((given, { add, remove, blocked }) => {
      const touched = [...add, ...remove, ...blocked.map(({ roleId }) => roleId)];
      expect(named(given.verdicts)).to.include.members(touched);
      expect(new Set(touched).size).to.equal(touched.length);
    });
  });

  it('A plan adds only roles that are not held, and takes only roles that are', () => {
    always(({ member }, { add, remove }) => {
      expect(add.filter((id) => member.roleIds.includes(id))).to.deep.equal([]);
      expect(member.roleIds).to.include.members(remove);
    });
  });

  it('A plan never takes a role that a mapping wants, is undecided about, or only ever adds', () => {
    always(({ verdicts: all }, { remove }) => {
      const keeps = named(all, (each) => each.verdict !== 'unmatched' || !each.removeWhenUnmatched);
      expect(remove.filter((id) => keeps.includes(id))).to.deep.equal([]);
    });
  });

  it('A plan of roles takes nothing when it may not', () => {
    always((given) => expect(planSync({ ...given, mayRemove: false }).remove).to.deep.equal([]));
    always((given) => {
      const { add, remove, blocked } = planSync({ ...given, keepsRoles: true });
      expect([add, remove, blocked]).to.deep.equal([[], [], []]);
    });
  });

  it('A plan leaves nothing but blocked parts once it is applied', () => {
    always((given, made) => {
      const kept = given.member.roleIds.filter((id) => !made.remove.includes(id));
      const after = {
        ...given.member,
        roleIds: [...kept, ...made.add],
        nickname: made.nickname === undefined ? given.member.nickname : made.nickname,
      };
      const { blocked, nicknameBlocked, nicknameWaitsFor: _, ...rest } = planSync({ ...given, member: after });
      expect(rest).to.deep.equal({ add: [], remove: [], nickname: undefined });
      expect(blocked).to.deep.equal(made.blocked);
      expect(nicknameBlocked).to.equal(made.nicknameBlocked);
    });
  });

  it('A plan does not go by the order of mappings or roles', () => {
    always((given, made) => {
      const reversed = {
        ...given,
        verdicts: given.verdicts.map((each) => ({ ...each, roleIds: [...each.roleIds].reverse() })).reverse(),
        member: { ...given.member, roleIds: [...given.member.roleIds].reverse() },
      };
      expect(planSync(reversed)).to.deep.equal(made);
    });
  });

  it('A plan makes or names every change that is due', () => {
    always(({ member, verdicts: all }, { add, blocked }) => {
      const missing = named(all, (each) => each.verdict === 'matched').filter((id) => !member.roleIds.includes(id));
      expect([...add, ...blocked.map(({ roleId }) => roleId)]).to.include.members(missing);
    });
  });

  it('A plan changes no role and no nickname that the bot has no right to', () => {
    always(({ facts }, { add, remove, nickname: given }) => {
      const bits = facts.bot.permissions;
      if ((bits & (Administrator | ManageRoles)) === 0n) expect([...add, ...remove]).to.deep.equal([]);
      if ((bits & (Administrator | ManageNicknames)) === 0n) expect(given).to.equal(undefined);
      for (const id of [...add, ...remove]) {
        expect(facts.roles.get(id)).to.deep.include({ managed: false });
        expect(facts.roles.get(id)?.position).to.be.at.most(50);
      }
    });
  });
});
