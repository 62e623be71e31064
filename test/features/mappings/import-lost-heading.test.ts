import { expect } from 'chai';
import { parseBloxlink } from '../../../src/features/mapping-import/import-bloxlink.js';
import type { ParsedImport } from '../../../src/features/mapping-import/import-proposal.js';
import { parseRover } from '../../../src/features/mapping-import/import-rover.js';

const member = (groupId: string) => ({ type: 'group_member', groupId });
const ranks = (groupId: string, min: number, max = min) => ({ type: 'group_rank', groupId, min, max });
const linesOf = (list: readonly { line: number }[]) => list.map(({ line }) => line);
const read = ({ proposals }: ParsedImport) => proposals.map(({ line, condition }) => [line, condition]);

/** The group 5's binds, then the heading in question, then another group's binds. */
const under = (...headings: string[]) =>
  parseBloxlink(
    ['Builders (5)', 'Rank Owner (255): Role(s): @Owner', ...headings, 'Rank Officer (100): Role(s): @Officer'].join(
      '\n',
    ),
  );

// CONF-25
describe('Other bots’ texts with unknown headings', () => {
  for (const name of ['Rank Masters', 'Ranks of Rome', 'People of Earth', 'Rank 1 to 5', '!!!', '★ Nickname Club ★']) {
    it(`A bind below the group ${name} goes to that group`, () => {
      const { proposals, refused } = under(`**${name}** (987654)`);
      expect(refused).to.deep.equal([]);
      expect(proposals.at(-1)?.condition).to.deep.equal(ranks('987654', 100));
    });
  }

  for (const heading of [
    'Rank Masters (77)',
    '(77)',
    'Ranks One (1) to Five (77)',
    'Nickname: Heroes (987654)',
    'Builders of Rome',
    'Role(s): @Nobody',
    'Badges',
    'Linked Groups',
    '_... and 12 more. Click here to view the rest!_',
    'x'.repeat(5_000),
  ]) {
    it(`A bind below "${heading.slice(0, 40)}" is refused instead of going to the group above`, () => {
      const parsed = under(heading);
      expect(read(parsed)).to.deep.equal([[2, ranks('5', 255)]]);
      expect(linesOf(parsed.refused)).to.include(4);
    });
  }

  it('A mapping import continues at the next heading after one that it does not understand', () => {
    const parsed = under('Builders of Rome', 'Rank Lost (3): Role(s): @Lost', 'Romans (6)');
    expect(read(parsed)).to.deep.equal([
      [2, ranks('5', 255)],
      [6, ranks('6', 100)],
    ]);
    expect(parsed.refused.map(({ line, message }) => [line, message.includes('line 3 hides its group')])).to.deep.equal(
      [
        [3, false],
        [4, true],
      ],
    );
  });

  it('A mapping import takes no group for a linked one below a heading that it does not understand', () => {
    const parsed = parseBloxlink('Linked Groups\nThe Army (77)\nRank Binds of this server\nBuilders (5)\n');
    expect(read(parsed)).to.deep.equal([[2, { type: 'group_roles', groupId: '77', match: 'name' }]]);
    expect(linesOf(parsed.refused)).to.deep.equal([3]);
  });

  it('A bind of a rank without roles does not end its group', () => {
    const parsed = under('Rank Nobody (3):');
    expect(read(parsed).at(-1)).to.deep.equal([4, ranks('5', 100)]);
    expect(linesOf(parsed.refused)).to.deep.equal([3]);
  });
});

describe('RoVer’s texts with unknown lines', () => {
  const [a, b] = ['111111111111111111', '222222222222222222'];

  it('A mapping import refuses the whole binding that an unknown line stands in, and takes the next one', () => {
    const text = `High <${a}>\n# Group 5\nRanks 10\n# Clan of Rome\nRanks 20\nAll <${b}>\n# Group 6\nRanks 1-255`;
    const parsed = parseRover(text);
    expect(read(parsed)).to.deep.equal([[6, member('6')]]);
    expect(linesOf(parsed.refused).sort()).to.deep.equal([1, 4, 5]);
  });

  it('A mapping import takes no role for that of everyone verified once another heading has come', () => {
    for (const heading of ['**__Group Bindings__**', 'Something else', '# Group 9']) {
      const parsed = parseRover(`**Verified Role**\n${heading}\nHigh <${a}>\n# Group 5\nRanks 10`);
      expect(read(parsed), heading).to.deep.equal([[3, ranks('5', 10)]]);
    }
  });

  for (const line of ['Ranks 10', '# Group 5\nRanks 10, 200-150', '# Group 5\nRanks 10, 300', '# Group 5\nRanks 10-']) {
    it(`A mapping import refuses "${line.replace('\n', ' / ')}" instead of leaving a part of it out`, () => {
      const parsed = parseRover(`High <${a}>\n${line}`);
      expect([parsed.proposals, linesOf(parsed.refused).includes(1)]).to.deep.equal([[], true]);
    });
  }

  it('A mapping import refuses a role id given as a JSON number, since its last digits are lost', () => {
    const parsed = parseRover('[{"role":111111111111111111,"groups":[{"id":"5","ranks":[3]}]}]');
    expect([parsed.proposals, linesOf(parsed.refused)]).to.deep.equal([[], [1]]);
  });
});
