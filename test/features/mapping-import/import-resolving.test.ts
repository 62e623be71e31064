import { expect } from 'chai';
import type { Proposal } from '../../../src/features/mapping-import/import-proposal.js';
import { resolveProposals, rolesNamedIn } from '../../../src/features/mapping-import/import-resolving.js';
import type { DiscordRole, GuildFacts } from '../../../src/platforms/discord/guild-facts.js';

const guildId = '100000000000000000';
const idOf = (place: number): string => `1000000000000001${String(place).padStart(2, '0')}`;

/** A server with these roles. It counts how often a role's name is read. */
function serverWith(names: readonly string[]): { facts: GuildFacts; namesRead: () => number } {
  let read = 0;
  const roles = names.map((name, place): DiscordRole => {
    const role = { roleId: idOf(place), position: place + 1, managed: false, permissions: 0n };
    return {
      ...role,
      get name() {
        read += 1;
        return name;
      },
    };
  });
  const highestRole = { roleId: '9', name: 'Bot', position: 99, managed: true, permissions: 0n };
  const facts = {
    ...{ guildId, ownerId: '1', roles: new Map(roles.map((role) => [role.roleId, role])) },
    bot: { roleIds: ['9'], permissions: 0n, highestRole },
  };
  return { facts, namesRead: () => read };
}

const lineWith = (roles: string[], line = 1): Proposal => ({
  ...{ line, name: null, condition: { type: 'verified' }, roles, mayEndLikeSentence: true },
  ...{ removeWhenUnmatched: true, enabled: true },
});
const resolved = (facts: GuildFacts, ...lines: Proposal[]) =>
  resolveProposals(lines, { facts, groups: [], addGroups: false });

// CONF-39
describe('The names in an import or a configuration', () => {
  const names = Array.from({ length: 50 }, (_, place) => `Role ${place}`);

  it('A text with thousands of role names reads each role’s own name as often as a text with one', () => {
    const few = serverWith(names);
    resolved(few.facts, lineWith(['role 7']));
    const many = serverWith(names);
    const lines = Array.from({ length: 1_000 }, (_, line) => lineWith(['role 7', 'ROLE 8', '@nobody.'], line));
    resolved(many.facts, ...lines);
    expect(many.namesRead()).to.equal(few.namesRead());
    const removed = serverWith(names);
    const idsNamed = rolesNamedIn(removed.facts);
    for (let count = 0; count < 1_000; count += 1)
      expect(idsNamed(['role 7', 'ROLE 8'])).to.deep.equal([idOf(7), idOf(8)]);
    expect(removed.namesRead()).to.equal(few.namesRead());
  });

  it('A line with more roles than a mapping may have is refused by their number, before its names are looked up', () => {
    const { facts } = serverWith(names);
    const { drafts, refused } = resolved(facts, lineWith(names.slice(0, 10)), lineWith(names.slice(0, 11), 2));
    expect(drafts.map(({ line, draft }) => [line, draft.roleIds.length])).to.deep.equal([[1, 10]]);
    const [remark] = refused;
    expect(remark).to.deep.equal({
      ...{ line: 2, code: 'invalid_request', message: 'roleIds must have at most 10 entries' },
    });
    const unknown = Array.from({ length: 20_000 }, () => 'nobody');
    expect(resolved(facts, lineWith(unknown, 2)).refused).to.deep.equal([remark]);
  });

  it('A name far longer than Discord gives is compared with no role, even if only spaces make it long', () => {
    const { facts } = serverWith(['Staff Lead']);
    const spaced = (spaces: number) => resolved(facts, lineWith([`Staff${' '.repeat(spaces)}Lead`]));
    expect(spaced(500).drafts.map(({ draft }) => draft.roleIds)).to.deep.equal([[idOf(0)]]);
    expect(spaced(2_000).refused.map(({ code }) => code)).to.deep.equal(['role_not_found']);
  });
});
