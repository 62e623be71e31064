import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import {
  blockedAmong,
  freeObstacles,
  hasWork,
  isSingle,
  type MappingVerdict,
  obstaclesOf,
  type PlanInput,
  planSync,
  type SyncPlan,
  whatIsLeft,
} from '../../../src/features/sync/plan/plan.js';
import type { DiscordRole, GuildFacts } from '../../../src/platforms/discord/guild-facts.js';

const { ManageRoles, ManageNicknames, KickMembers, Administrator } = PermissionFlagsBits;
const role = (roleId: string, position = 1): DiscordRole => ({
  ...{ roleId, name: roleId, position, managed: false, permissions: 0n },
});
const botRole = role('900', 50);

function factsWith(permissions: bigint): GuildFacts {
  const roles = [role('100', 0), botRole, role('201'), role('202'), role('990', 60)];
  const bot = { roleIds: [botRole.roleId], permissions, highestRole: botRole };
  return { guildId: '100', ownerId: '1', roles: new Map(roles.map((each) => [each.roleId, each])), bot };
}

const nothing: SyncPlan = { add: [], remove: [], nickname: undefined, blocked: [], nicknameBlocked: null };
const facts = factsWith(ManageRoles | ManageNicknames | KickMembers);

const plan = (input: Partial<Omit<PlanInput, 'member'>>, member: Partial<PlanInput['member']> = {}): SyncPlan =>
  planSync({
    ...{ verdicts: [], nickname: undefined, mayRemove: true, keepsRoles: false, facts },
    ...input,
    member: { chatUserId: '2', roleIds: [], nickname: null, ...member },
  });

describe('Parts of a plan', () => {
  it('A plan has work when anything is due, and none otherwise', () => {
    expect(hasWork(nothing)).to.equal(false);
    const due: Partial<SyncPlan>[] = [
      ...[{ add: ['201'] }, { remove: ['201'] }, { add: ['201'], remove: ['202'] }],
      ...[{ nickname: 'Bob' }, { nickname: null }, { kick: 'account_age' as const }],
    ];
    for (const part of due) expect(hasWork({ ...nothing, ...part }), JSON.stringify(part)).to.equal(true);
  });

  it('A plan is a single one when it changes one role and no nickname', () => {
    expect(isSingle({ ...nothing, add: ['201'] })).to.equal(true);
    expect(isSingle({ ...nothing, remove: ['201'] })).to.equal(true);
    const others: Partial<SyncPlan>[] = [
      ...[{}, { nickname: 'Bob' }, { nickname: null, add: ['201'] }],
      ...[{ add: ['201', '202'] }, { add: ['201'], remove: ['202'] }, { add: ['201', '202'], remove: ['203'] }],
    ];
    for (const part of others) expect(isSingle({ ...nothing, ...part }), JSON.stringify(part)).to.equal(false);
  });

  it('A plan contains exactly the changes that a member lacks', () => {
    const whole = { ...nothing, add: ['201', '202'], remove: ['203', '204'], nickname: 'Bob' };
    expect(whatIsLeft(whole, { roleIds: ['201', '203'], nickname: 'Bob' })).to.deep.equal({
      ...{ ...nothing, add: ['202'], remove: ['203'] },
    });
    expect(whatIsLeft(whole, { roleIds: [], nickname: null })).to.deep.equal({ ...whole, remove: [] });
  });

  it('A plan names the obstacles that block its other parts', () => {
    const blocked = [{ roleId: '201', reason: 'role_above_bot' as const }];
    expect(obstaclesOf({ blocked })).to.deep.equal(['201']);
    expect(obstaclesOf({ blocked, nicknameWaitsFor: 'nickname:202' })).to.deep.equal(['201', 'nickname:202']);
  });

  it('A role is free of obstacles where the bot may give it, stands above it, and nothing is held back', () => {
    const mapped = ['201', '202', '990', '404'];
    const below = ['nickname:100', 'nickname:201', 'nickname:202'];
    expect(freeObstacles(facts, mapped, new Set(['202']))).to.deep.equal(['201', 'nickname', ...below]);
    expect(freeObstacles(factsWith(ManageRoles), mapped, new Set())).to.deep.equal(['201', '202']);
    expect(freeObstacles(factsWith(ManageNicknames), mapped, new Set())).to.deep.equal(['nickname', ...below]);
    expect(blockedAmong(mapped, facts, new Set(['201', '990']))).to.deep.equal([
      { roleId: '201', reason: 'became_dangerous' },
      { roleId: '990', reason: 'role_above_bot' },
      { roleId: '404', reason: 'role_deleted' },
    ]);
  });
});

describe('Roles that have become dangerous', () => {
  const matched = (heldRoleIds?: string[]): MappingVerdict => ({
    ...{ verdict: 'matched', roleIds: ['201', '202'], removeWhenUnmatched: true },
    ...(heldRoleIds && { heldRoleIds }),
  });
  const heldBack = [{ roleId: '201', reason: 'became_dangerous' }];

  it('A role that has become dangerous is neither given nor taken', () => {
    expect(plan({ verdicts: [matched(['201'])] })).to.deep.equal({ ...nothing, add: ['202'], blocked: heldBack });
    const unmatched: MappingVerdict = { ...matched(['201']), verdict: 'unmatched' };
    const taken = plan({ verdicts: [unmatched] }, { roleIds: ['201', '202'] });
    expect(taken).to.deep.equal({ ...nothing, remove: ['202'], blocked: heldBack });
  });

  it('A role that has become dangerous is given by another mapping for which it was confirmed, if it matches', () => {
    const verdicts = [matched(['201']), matched()];
    expect(plan({ verdicts })).to.deep.equal({ ...nothing, add: ['201', '202'] });
    const others: MappingVerdict[] = [matched(['201']), { ...matched(), verdict: 'unmatched' }];
    expect(plan({ verdicts: others })).to.deep.equal({ ...nothing, add: ['202'], blocked: heldBack });
    const both = [matched(['201']), matched(['201'])];
    expect(plan({ verdicts: both })).to.deep.equal({ ...nothing, add: ['202'], blocked: heldBack });
  });
});

describe('Kicks in a plan', () => {
  const kickFor = 'account_age' as const;
  const verdicts: MappingVerdict[] = [{ verdict: 'matched', roleIds: ['201'], removeWhenUnmatched: true }];
  const kicked = (input: Partial<PlanInput>, member: Partial<PlanInput['member']> = {}): unknown =>
    plan({ kickFor, verdicts, nickname: 'Bob', ...input }, member).kick;

  it('A plan that kicks a person does nothing else', () => {
    expect(plan({ kickFor, verdicts, nickname: 'Bob' })).to.deep.equal({ ...nothing, kick: kickFor });
    expect(kicked({}, { roleIds: ['201'] })).to.equal(kickFor);
    expect(kicked({ facts: factsWith(Administrator) })).to.equal(kickFor);
  });

  it('A person is synced and stays when the bot may not kick them', () => {
    expect(kicked({ facts: factsWith(ManageRoles) })).to.equal(undefined);
    expect(kicked({}, { chatUserId: '1' })).to.equal(undefined);
    expect(kicked({}, { roleIds: ['990'] })).to.equal(undefined);
    expect(kicked({}, { roleIds: ['900'] })).to.equal(undefined);
    expect(kicked({ keepsRoles: true })).to.equal(undefined);
    expect(plan({ kickFor, verdicts }, { chatUserId: '1' }).add).to.deep.equal(['201']);
  });
});
