import { expect } from 'chai';
import { parseCsv } from '../../../src/features/mapping-import/import-csv.js';
import { type Api, api } from '../../support/api.js';
import { tokenFor } from '../../support/build.js';
import { factsWhere } from '../../support/events.js';
import { world } from '../../support/world.js';
import { addRole, buildGroupGuild, type GroupGuild } from '../sync/sync-setup.js';

// CONF-26
describe('Role names in imported texts', () => {
  let guild: GroupGuild;
  let manager: Api;

  before(world);
  beforeEach(async () => {
    guild = await buildGroupGuild();
    manager = api(await tokenFor(guild.guildId, 'manager'));
  });

  /** Adds roles, and says which ones a mapping for everyone verified would give, or why not. */
  async function rolesFor(names: string[], wish: object): Promise<unknown[]> {
    const ids = new Map<string, string>();
    for (const name of names) ids.set(await addRole(guild, { name }), name);
    for (const id of ids.keys()) await factsWhere(guild.guildId, ({ roles }) => roles.has(id));
    const { body } = await manager.post(`${guild.path}/mappings/import`, wish);
    const created: { mapping: { roleIds: string[] } }[] = body.created;
    const refused: { code: string }[] = body.refused;
    return [
      ...created.flatMap(({ mapping }) => mapping.roleIds.map((id) => ids.get(id))),
      ...refused.map(({ code }) => code),
    ];
  }
  const csv = (...names: string[]) => ({
    format: 'csv',
    text: ['condition;days;roles', ...names.map((name, index) => `account_age;${index + 1};${name}`)].join('\n'),
  });
  const bloxlink = (name: string) => ({
    format: 'bloxlink',
    text: `People who have verified their Roblox account receive the role ${name}`,
  });

  it('A mapping import finds a role that ends in a full stop or underscore, and else the role without them', async () => {
    expect(await rolesFor(['Jr.', 'Staff_'], bloxlink('@Jr.'))).to.deep.equal(['Jr.']);
    expect(await rolesFor(['Staff__'], bloxlink('@Staff__'))).to.deep.equal(['Staff__']);
    expect(await rolesFor(['Captain'], bloxlink('@Captain._'))).to.deep.equal(['Captain']);
  });

  it('A mapping import finds no other role for a name in CSV that ends in a full stop', async () => {
    expect(await rolesFor(['Sr'], csv('Sr.'))).to.deep.equal(['role_not_found']);
  });

  it('A mapping import finds a role despite other letter composition, straight quotes or letter case', async () => {
    const names = ['Jose\u0301', "Guards' Captain", 'HIGH rank'];
    expect(await rolesFor(names, csv('@Jos\u00e9', 'Guards’ Captain', 'high  Rank'))).to.deep.equal(names);
  });

  it('A mapping import prefers the exact name, and finds none among several that differ by case only', async () => {
    expect(await rolesFor(['Elite', 'ELITE'], csv('Elite'))).to.deep.equal(['Elite']);
    expect(await rolesFor([], csv('elite'))).to.deep.equal(['role_ambiguous']);
  });
});

describe('Tables from a spreadsheet or a phone', () => {
  const roles = (text: string) => parseCsv(text).proposals.map((proposal) => [proposal.line, proposal.roles]);

  it('An imported table may have empty columns and rows at its end', () => {
    const parsed = parseCsv('condition,roles,,\nverified,A,,\n,,,\nunverified,B,,,,\n');
    expect(parsed.refused).to.deep.equal([]);
    expect(parsed.proposals.map(({ line, condition }) => [line, condition.type])).to.deep.equal([
      [2, 'verified'],
      [4, 'unverified'],
    ]);
  });

  it('An imported table’s row with a cell beyond its columns is refused, and the others are taken', () => {
    const parsed = parseCsv('condition,roles,\nverified,A,B\nverified,Staff, all\nverified,C\n');
    expect(parsed.refused.map(({ line, code }) => [line, code])).to.deep.equal([
      [2, 'not_understood'],
      [3, 'not_understood'],
    ]);
    expect(parsed.proposals.map((proposal) => proposal.roles)).to.deep.equal([['C']]);
  });

  it('An imported table may name its separator in a line above', () => {
    for (const first of ['sep=;', '"sep=;"', 'SEP=;\r']) {
      expect(roles(`\uFEFF${first}\ncondition;roles;name\nverified;A;a, b, c, d\n`), first).to.deep.equal([[3, ['A']]]);
    }
    expect(roles('sep=\t\ncondition\troles\nverified\tA\n')).to.deep.equal([[3, ['A']]]);
  });

  it('An imported table may have bent quotes around its cells, and keeps those inside', () => {
    expect(roles('condition,roles\n“verified”,“Staff, all”\n')).to.deep.equal([[2, ['Staff, all']]]);
    expect(roles('condition;roles\nverified;„Staff“\n')).to.deep.equal([[2, ['Staff']]]);
    expect(roles('condition,roles\nverified,"The “Elite”"\nverified,The “Elite”\n')).to.deep.equal([
      [2, ['The “Elite”']],
      [3, ['The “Elite”']],
    ]);
  });

  it('An imported table may write a condition in capitals, but may not have a column twice', () => {
    expect(roles('Condition,Roles\nVerified,A\n')).to.deep.equal([[2, ['A']]]);
    expect(() => parseCsv('condition,roles,Roles\nverified,A,B')).to.throw();
  });
});
