import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { barriersTo, lowerCeiling } from '../../../src/core/actors/reach.js';
import type { DiscordRole, GuildFacts } from '../../../src/platforms/discord/guild-facts.js';

const role = (roleId: string, position: number, permissions = 0n): DiscordRole => ({
  ...{ roleId, name: roleId, position, managed: false, permissions },
});
const [low, high, boss] = [role('201', 1), role('203', 3), role('200', 0, PermissionFlagsBits.Administrator)];
const ceiling = role('202', 2);
const facts: GuildFacts = {
  guildId: '100',
  ownerId: '1',
  roles: new Map([role('100', 0), low, ceiling, high, boss].map((each) => [each.roleId, each])),
  bot: { roleIds: ['900'], permissions: 0n, highestRole: role('900', 50) },
};
const author = { chatUserId: '2', ceilingRoleId: '202' };
const others = { chatUserId: '3', roleIds: ['201'] };

// AUTH-61, AUTH-62
describe('The rule of reach', () => {
  it('A role is in reach below the author’s own highest; dangers are for rules of admins', () => {
    const asRule = (by: object, wanted: DiscordRole) =>
      barriersTo({ ...author, ...by }, { by: 'rule', role: wanted }, facts);
    expect(asRule({ role: 'manager' }, low)).to.deep.equal([]);
    expect(asRule({ role: 'admin' }, high)).to.deep.equal(['above']);
    expect(asRule({ role: 'admin' }, boss)).to.deep.equal([]);
    expect(asRule({ role: 'manager' }, boss)).to.deep.equal(['dangerous']);
    expect(asRule({ role: 'manager', ceilingRoleId: '999' }, low), 'a deleted role').to.deep.equal(['above']);
  });

  it('A word gives no dangerous role, whoever its author is, and nothing to its author', () => {
    const byWord = (by: typeof author | { chatUserId: null; ceilingRoleId: null }, wanted: DiscordRole, person = '3') =>
      barriersTo(by, { by: 'word', role: wanted, person: { chatUserId: person } }, facts);
    const above = { chatUserId: null, ceilingRoleId: null };
    expect(byWord(author, low)).to.deep.equal([]);
    expect(byWord(author, high)).to.deep.equal(['above']);
    expect(byWord(author, low, '2')).to.deep.equal(['themselves']);
    expect(byWord(above, high)).to.deep.equal([]);
    expect(byWord(above, boss)).to.deep.equal(['dangerous']);
    const admin = { ...above, role: 'admin' };
    expect(byWord(admin, boss), 'an admin’s word').to.deep.equal(['dangerous']);
  });

  it('A loss of everything takes an author above each role of the person, and nobody else reaches the owner', () => {
    const whole = (person: typeof others, ceilingRoleId: string | null = '202') =>
      barriersTo({ chatUserId: '2', ceilingRoleId }, { by: 'rule', person }, facts);
    expect(whole(others)).to.deep.equal([]);
    expect(whole({ ...others, roleIds: ['201', '203'] })).to.deep.equal(['above']);
    expect(whole({ ...others, roleIds: ['202'] })).to.deep.equal(['above']);
    expect(whole({ chatUserId: '1', roleIds: [] })).to.deep.equal(['above']);
    expect(whole({ chatUserId: '1', roleIds: ['203'] }, null)).to.deep.equal([]);
  });

  it('Of two authors the lower one’s ceiling holds, and a deleted role is the lowest', () => {
    for (const [lower, higher] of [
      ['202', '203'],
      ['203', null],
      ['999', '201'],
      ['999', null],
    ] as const) {
      expect(lowerCeiling(lower, higher, facts)).to.equal(lower);
      expect(lowerCeiling(higher, lower, facts)).to.equal(lower);
    }
    expect(lowerCeiling(null, null, facts)).to.equal(null);
  });
});
