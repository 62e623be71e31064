import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import type { RefusedPart } from '../../../src/features/members/member-sync-fields.js';
import {
  type MappingVerdict,
  obstaclesOf,
  type PlanInput,
  planSync,
  refusedNicknameOf,
  type SyncPlan,
  withoutRemovals,
  withRefusals,
} from '../../../src/features/sync/plan/plan.js';
import { refusedPartOf, type SyncPart } from '../../../src/features/sync/plan/refused-parts.js';
import type { DiscordRole, GuildFacts } from '../../../src/platforms/discord/guild-facts.js';

const { ManageRoles, ManageNicknames } = PermissionFlagsBits;
const role = (roleId: string, position = 1): DiscordRole => ({
  ...{ roleId, name: `Role ${roleId}`, position, managed: false, permissions: 0n },
});
const botRole = role('900', 50);
const roles = ['201', '202', '203', '204'].map((id) => role(id));
const facts: GuildFacts = {
  guildId: '100',
  ownerId: '1',
  roles: new Map([role('100', 0), botRole, ...roles].map((each) => [each.roleId, each])),
  bot: { roleIds: ['900'], permissions: ManageRoles | ManageNicknames, highestRole: botRole },
};

const nothing: SyncPlan = { add: [], remove: [], nickname: undefined, blocked: [], nicknameBlocked: null };
const blockedBy = <Reason extends string>(reason: Reason, ...ids: string[]) =>
  ids.map((roleId) => ({ roleId, reason }));
const verdict = (kind: MappingVerdict['verdict'], roleIds: string[], beyondRoleIds?: string[]): MappingVerdict => ({
  ...{ verdict: kind, roleIds, removeWhenUnmatched: true, ...(beyondRoleIds && { beyondRoleIds }) },
});
const plan = (input: Partial<Omit<PlanInput, 'member'>>, member: Partial<PlanInput['member']> = {}): SyncPlan =>
  planSync({
    ...{ verdicts: [], nickname: undefined, mayRemove: true, keepsRoles: false, facts },
    ...input,
    member: { chatUserId: '2', roleIds: [], nickname: null, ...member },
  });

describe('Plans with removals that wait', () => {
  it('A plan without its removals takes nothing, kicks nobody, and names what it holds back (SYNC-11)', () => {
    const blocked = blockedBy('role_above_bot' as const, '204');
    const whole: SyncPlan = { ...nothing, add: ['201'], remove: ['202', '203'], blocked, kick: 'account_age' };
    const held = withoutRemovals(whole);
    expect(held).to.deep.equal({
      ...{ ...nothing, add: ['201'], heldRemovals: true },
      blocked: [...blocked, ...blockedBy('removal_limit', '202', '203')],
    });
    expect(obstaclesOf(held)).to.deep.equal(['204', 'removal']);
  });
});

describe('Obstacles of a plan', () => {
  it('Each kind of hindrance has its own obstacle, and no role is one that its change would not free', () => {
    const freedOtherwise = ['removal_limit', 'beyond_word', 'refused_by_discord'] as const;
    for (const reason of freedOtherwise) {
      const blocked = [...blockedBy(reason, '202'), ...blockedBy('became_dangerous' as const, '201')];
      expect(obstaclesOf({ blocked }), reason).to.deep.equal(['201', ...(reason === 'beyond_word' ? ['word'] : [])]);
    }
    expect(obstaclesOf({ blocked: [] })).to.deep.equal([]);
    expect(obstaclesOf({ blocked: [], leftOut: true })).to.deep.equal(['left_out']);
    expect(obstaclesOf({ blocked: [], sparedFrom: 'account_age' })).to.deep.equal(['restriction:account_age']);
  });
});

describe('Members with a plan that waits', () => {
  const verdicts = [verdict('matched', ['201']), verdict('unmatched', ['202'])];

  it('A member gets no roles before they accept the rules of the guild, and loses theirs (SYNC-49)', () => {
    const input = { verdicts, waitsForRules: true, nickname: 'Bob' };
    const rest = { ...nothing, nickname: 'Bob' };
    expect(plan(input, { roleIds: ['202'] })).to.deep.equal({ ...rest, remove: ['202'], waitsForRules: true });
    expect(plan(input, { roleIds: ['201', '202'] })).to.deep.equal({ ...rest, remove: ['202'] });
    expect(plan({ ...input, waitsForRules: false }).add).to.deep.equal(['201']);
    expect(plan({ ...input, waitsForRules: false })).not.to.have.property('waitsForRules');
  });

  it('A plan says that a member is left out, or spared from a restriction unless a role keeps theirs', () => {
    expect(plan({ isLeftOut: true })).to.deep.equal({ ...nothing, leftOut: true });
    expect(plan({ isLeftOut: false })).to.deep.equal(nothing);
    expect(plan({ sparedFrom: 'account_age' })).to.deep.equal({ ...nothing, sparedFrom: 'account_age' });
    expect(plan({ sparedFrom: 'account_age', keepsRoles: true })).to.deep.equal(nothing);
  });
});

describe('Roles beyond a word', () => {
  it('A role beyond the word of a link is neither given nor taken (AUTH-62)', () => {
    const verdicts = [verdict('matched', ['201', '203']), verdict('unmatched', ['202', '204'])];
    const made = plan({ verdicts, isBeyondWord: (id) => id === '201' || id === '202' }, { roleIds: ['202', '204'] });
    const blocked = blockedBy('beyond_word', '201', '202');
    expect(made).to.deep.equal({ ...nothing, add: ['203'], remove: ['204'], blocked });
    expect(obstaclesOf(made)).to.deep.equal(['word']);
  });

  it('A role beyond the word of a fact is given only by a mapping that rests on none (FACT-14)', () => {
    const resting = verdict('matched', ['201', '202'], ['201']);
    const blocked = blockedBy('beyond_word', '201');
    expect(plan({ verdicts: [resting] })).to.deep.equal({ ...nothing, add: ['202'], blocked });
    const both = { ...nothing, add: ['201', '202'] };
    expect(plan({ verdicts: [resting, verdict('matched', ['201'])] })).to.deep.equal(both);
    expect(plan({ verdicts: [resting, verdict('unmatched', ['201'])] })).to.deep.equal({
      ...both,
      add: ['202'],
      blocked,
    });
    expect(plan({ verdicts: [resting, verdict('matched', ['201'], ['201'])] }).add).to.deep.equal(['202']);
  });

  it('A role may be beyond either word, and one confirmed by a mapping stays beyond that of the link', () => {
    const resting = verdict('matched', ['201', '202', '203'], ['201']);
    const isBeyondWord = (id: string) => id === '202';
    const blocked = blockedBy('beyond_word', '201', '202');
    expect(plan({ verdicts: [resting], isBeyondWord })).to.deep.equal({ ...nothing, add: ['203'], blocked });
    const confirmed = [resting, verdict('matched', ['201'])];
    expect(plan({ verdicts: confirmed, isBeyondWord }).blocked).to.deep.equal(blockedBy('beyond_word', '202'));
  });
});

describe('Parts that Discord has refused', () => {
  const named = { username: 'bob', profile: 'Bob' };
  const refusal = (wished: SyncPart): RefusedPart => refusedPartOf(wished, 'No.', facts);
  const give = refusal({ part: 'give', roleId: '201' });
  const take = refusal({ part: 'take', roleId: '202' });
  const name = refusal({ part: 'nickname', nickname: 'Bob', member: named });
  const verdicts = [verdict('matched', ['201', '203']), verdict('unmatched', ['202', '204'])];
  const whole = { verdicts, nickname: 'Bob' };
  const member = { ...named, roleIds: ['202', '204'] };
  const blocked = ['201', '202'].map((roleId) => ({
    ...{ roleId, reason: 'refused_by_discord', roleName: `Role ${roleId}`, detail: 'No.' },
  }));

  it('A plan leaves out what Discord has refused, and keeps the rest', () => {
    const due = { ...nothing, add: ['203'], remove: ['204'] };
    const refused = [give, take, name];
    const made = plan({ ...whole, refused }, member);
    expect(made).to.deep.equal({ ...due, blocked, nicknameBlocked: 'refused_by_discord', refused });
    expect(obstaclesOf(made)).to.deep.equal([
      `refused:give:${give.key}`,
      `refused:take:${take.key}`,
      'refused:nickname',
    ]);
    expect(refusedNicknameOf(made)).to.deep.equal({ nickname: 'Bob', detail: 'No.' });
  });

  it('A plan tries a part again when nothing, or something else, was refused', () => {
    const due = { ...nothing, add: ['201', '203'], remove: ['202', '204'], nickname: 'Bob' };
    expect(plan(whole, member)).to.deep.equal(due);
    expect(plan({ ...whole, refused: [] }, member)).to.deep.equal(due);
    const others = [refusal({ part: 'take', roleId: '201' }), refusal({ part: 'give', roleId: '202' })];
    expect(plan({ ...whole, refused: others }, member)).to.deep.equal(due);
    expect(plan({ ...whole, refused: [name] }, { ...member, profile: 'Other' })).to.deep.equal(due);
    expect(plan({ ...whole, refused: [name] }, { roleIds: member.roleIds })).to.deep.equal(due);
    const unnamed = refusal({ part: 'nickname', nickname: 'Bob', member: { username: '' } });
    expect(plan({ nickname: 'Bob', refused: [unnamed] })).to.deep.include({ nicknameBlocked: 'refused_by_discord' });
    expect(plan({ refused: [give, name] })).to.deep.equal(nothing);
    const removal = refusal({ part: 'nickname', nickname: null, member: named });
    expect(plan({ refused: [removal] }, { ...named, nickname: 'Al' })).to.deep.equal(nothing);
    expect(refusedNicknameOf(plan({ ...whole, refused: [give] }, member))).to.equal(undefined);
    expect(refusedNicknameOf({})).to.equal(undefined);
  });

  it('A refusal of one role blocks neither the other roles nor the nickname', () => {
    const due = { ...nothing, add: ['201', '203'], remove: ['202', '204'], nickname: 'Bob' };
    const first = withRefusals(due, [give]);
    expect(first).to.deep.equal({ ...due, add: ['203'], blocked: blocked.slice(0, 1), refused: [give] });
    expect(withRefusals(first, [take])).to.deep.equal({
      ...{ ...due, add: ['203'], remove: ['204'] },
      ...{ blocked, refused: [give, take] },
    });
    expect(withRefusals(due, [])).to.equal(due);
    expect(withRefusals(due, [give, name]).nicknameBlocked).to.equal('refused_by_discord');
  });

  it('A refused role without a name is called by its id, and the first refused nickname is told', () => {
    const [shown] = withRefusals(nothing, [{ ...give, name: null }]).blocked;
    expect(shown).to.deep.equal({ ...blocked[0], roleName: '201' });
    const later = refusal({ part: 'nickname', nickname: 'Al', member: named });
    expect(refusedNicknameOf({ refused: [give, name, later] })).to.deep.equal({ nickname: 'Bob', detail: 'No.' });
  });
});
