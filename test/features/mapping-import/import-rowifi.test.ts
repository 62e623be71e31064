import { expect } from 'chai';
import type { ParsedImport } from '../../../src/features/mapping-import/import-proposal.js';
import { parseRowifi } from '../../../src/features/mapping-import/import-rowifi.js';

const [a, b] = ['<@&111111111111111111>', '<@&222222222222222222>'];
const rank = (groupId: string, min: number) => ({ type: 'group_rank', groupId, min, max: min });
const read = ({ proposals }: ParsedImport) => proposals.map(({ line, condition, roles }) => [line, condition, roles]);
const refused = (parsed: ParsedImport) => parsed.refused.map(({ line, code }) => [line, code]);

const bind = (of: string, roles: string, more: string[] = []) => [
  of,
  ...more,
  'Template: `{roblox-username}`',
  'Priority: 1',
  ` Roles: ${roles}`,
];

describe('Mappings from RoWifi', () => {
  it('RoWifi’s binds become mappings by ranks, groups and items, with their templates named as left out', () => {
    const parsed = parseRowifi(
      [
        ...['RoWifi', 'APP', ' — Today at 14:03', '**Rankbinds**', 'Group 12345 | Page 1'],
        ...bind('**Rank: 20**', `${a}${b}`),
        ...bind('Rank: 0', '@Guests'),
        ...['RoWifi•Today at 14:03', 'Rankbinds', 'Group 6 | Page 2'],
        ...bind('Rank: 255', '@Owner@Staff, all'),
        ...['Groupbinds', 'Page 1', ...bind('Group: 12345', a), ...bind('Group Id: 6', b)],
        ...['Assetbinds', 'Page 1', ...bind('ID: 99', a, ['Type: `Badge`']), ...bind('ID: 98', b, ['Type: Gamepass'])],
      ].join('\r\n'),
    );
    expect(parsed.refused).to.deep.equal([]);
    expect(read(parsed).map(([, ...rest]) => rest)).to.deep.equal([
      [rank('12345', 20), [a, b]],
      [{ type: 'not', of: { type: 'group_member', groupId: '12345' } }, ['@Guests']],
      [rank('6', 255), ['@Owner', '@Staff, all']],
      [{ type: 'group_member', groupId: '12345' }, [a]],
      [{ type: 'group_member', groupId: '6' }, [b]],
      [{ type: 'owns_item', kind: 'badge', id: '99' }, [a]],
      [{ type: 'owns_item', kind: 'game_pass', id: '98' }, [b]],
    ]);
    expect(parsed.notes.map(({ code }) => code)).to.deep.equal(Array.from({ length: 7 }, () => 'left_out'));
  });

  it('RoWifi’s binds without a counterpart, roles, group or such a rank are refused by line', () => {
    const parsed = parseRowifi(
      [
        ...['Custombinds', 'Page 1', 'Id: 1', 'Code: HasRank(5, 20) and IsInGroup(6)', `Roles: ${a}`],
        ...['Rankbinds', 'Rank: 20', `Roles: ${a}`],
        ...['Group 5 | Page 1', 'Rank: 300', `Roles: ${a}`, 'Rank: 3', 'Rank: 4', 'Roles:'],
        ...['Assetbinds', 'ID: 9', 'Type: Bundle', `Roles: ${a}`],
      ].join('\n'),
    );
    expect(parsed.proposals).to.deep.equal([]);
    expect(refused(parsed)).to.deep.equal([
      [3, 'unsupported'],
      [7, 'unsupported'],
      [10, 'unsupported'],
      [12, 'not_understood'],
      [13, 'not_understood'],
      [16, 'not_understood'],
      [17, 'not_understood'],
    ]);
  });

  it('A mapping import gives no RoWifi bind to the group above an unknown line, until the next heading', () => {
    for (const line of ['Group Builders | Page 2', 'Denylists', 'x', 'Group: 7', 'ID: 9']) {
      const lost = ['Group 5 | Page 1', line, 'Rank: 20', `Roles: ${a}`, 'Group 6 | Page 2', 'Rank: 20', `Roles: ${b}`];
      const parsed = parseRowifi(['Rankbinds', ...lost].join('\n'));
      expect(read(parsed), line).to.deep.equal([[7, rank('6', 20), [b]]]);
      expect(refused(parsed), line).to.deep.equal([
        [3, 'not_understood'],
        [4, 'not_understood'],
      ]);
    }
  });
});
