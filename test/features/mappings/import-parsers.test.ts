import { expect } from 'chai';
import { parseBloxlink } from '../../../src/features/mapping-import/import-bloxlink.js';
import { parseCsv } from '../../../src/features/mapping-import/import-csv.js';
import type { ParsedImport } from '../../../src/features/mapping-import/import-proposal.js';
import { parseRover } from '../../../src/features/mapping-import/import-rover.js';
import { InvalidRequest } from '../../../src/lib/errors.js';

const [a, b] = ['111111111111111111', '222222222222222222'];
const member = (groupId: string) => ({ type: 'group_member', groupId });
const ranks = (groupId: string, min: number, max = min) => ({ type: 'group_rank', groupId, min, max });

/** The parsed mappings in short: the line, the condition and the roles. */
const read = ({ proposals }: ParsedImport) => proposals.map(({ line, condition, roles }) => [line, condition, roles]);
const remarks = (list: ParsedImport['refused']) => list.map(({ line, code }) => [line, code]);

describe('Mappings from CSV', () => {
  it('CSV has one mapping a line, under a header in any order and case, with any usual separator', () => {
    const rows = [
      ['Roles', 'condition', 'group', 'MIN', 'max', 'gameRole', 'name', 'removeWhenUnmatched', 'enabled'],
      [`${a}|@Staff`, 'group_rank', '5', '10', '20', '', 'Officers', 'no', '0'],
      ['Verified', 'verified', '', '', '', '', '', '', ''],
      ['Builders', 'group_member', 'https://www.roblox.com/groups/7/Builders', '', '', '', '', '', ''],
      ['Guests', 'not_group_member', '7', '', '', '', '', 'true', 'yes'],
      ['Owner', 'group_role', '7', '', '', 'The Owner', '', '', ''],
      ['Owner', 'group_role', '7', '', '', '77', '', '', ''],
      ['Old', 'group_rank', '7', '', '9', '', '', '', ''],
    ];
    for (const separator of [',', ';', '\t']) {
      const parsed = parseCsv(`\uFEFF${rows.map((row) => row.join(separator)).join('\r\n')}\r\n\r\n`);
      expect(parsed.refused).to.deep.equal([]);
      expect(parsed.proposals[0]).to.deep.equal({
        ...{ line: 2, name: 'Officers', condition: ranks('5', 10, 20), roles: [a, '@Staff'] },
        ...{ removeWhenUnmatched: false, enabled: false },
      });
      expect(read(parsed).slice(1)).to.deep.equal([
        [3, { type: 'verified' }, ['Verified']],
        [4, member('7'), ['Builders']],
        [5, { type: 'not', of: member('7') }, ['Guests']],
        [6, { type: 'named_game_role', groupId: '7', name: 'The Owner' }, ['Owner']],
        [7, { type: 'group_role', groupId: '7', gameRoleId: '77' }, ['Owner']],
        [8, ranks('7', 1, 9), ['Old']],
      ]);
      expect(parsed.proposals[1]).to.include({ name: null, removeWhenUnmatched: true, enabled: true });
    }
  });

  it('CSV names days and items, by their ids or the addresses of their pages', () => {
    const rows = [
      'condition,days,item,roles',
      ...['premium,,,A', 'account_age,30,,A', 'owns_badge,,12,A'],
      'owns_game_pass,,https://www.roblox.com/game-pass/34/VIP,A',
      'owns_asset,,roblox.com/catalog/56,A',
      ...['account_age,0,,A', 'owns_badge,,VIP,A'],
    ];
    const parsed = parseCsv(rows.join('\n'));
    expect(read(parsed).map(([, condition]) => condition)).to.deep.equal([
      { type: 'premium' },
      { type: 'account_age', days: 30 },
      { type: 'owns_item', kind: 'badge', id: '12' },
      { type: 'owns_item', kind: 'game_pass', id: '34' },
      { type: 'owns_item', kind: 'asset', id: '56' },
    ]);
    expect(parsed.refused.map(({ line }) => line)).to.deep.equal([7, 8]);
  });

  it('CSV may hold separators and quotes in quoted cells', () => {
    const { proposals } = parseCsv(`condition,name,roles\nverified,"He said ""yes"", twice","${a};Two, three"\n`);
    expect(proposals[0]).to.deep.include({ name: 'He said "yes", twice', roles: [a, 'Two, three'] });
  });

  // CONF-23
  it('CSV is refused line by line, with the reason', () => {
    const lines = [
      'condition,group,min,max,gameRole,roles,enabled',
      'sometimes,,,,,R,',
      'group_member,,,,,R,',
      'group_member,nonsense,,,,R,',
      'group_rank,5,,,,R,',
      'group_rank,5,20,10,,R,',
      'group_rank,5,1,300,,R,',
      'group_role,5,,,,R,',
      'verified,,,,,R,perhaps',
      'verified,,,,,R,',
    ];
    const { proposals, refused } = parseCsv(lines.join('\n'));
    expect(proposals.map(({ line }) => line)).to.deep.equal([10]);
    expect(refused.map(({ line }) => line)).to.deep.equal([2, 3, 4, 5, 6, 7, 8, 9]);
    expect(refused[4]?.message).to.equal('max must not be less than min');
    for (const { code, message } of refused)
      expect([code, message.length > 10]).to.deep.equal(['not_understood', true]);
  });

  it('A text that is no CSV with the known columns is refused', () => {
    for (const text of ['roles\nx', 'condition,roles,colour\na,b,c', 'hello', 'condition,roles\n"open,x', '{"a":1}']) {
      expect(() => parseCsv(text), text).to.throw(InvalidRequest);
    }
  });
});

describe('Mappings from Bloxlink', () => {
  it('A mapping import reads the output of Bloxlink’s /viewbinds, with markdown and mentions', () => {
    const parsed = parseBloxlink(
      [
        '**Bloxlink Role Binds**',
        'Use </bind:836429412810358807> to make a new bind, or </unbind:836429412810358805> to delete a bind.',
        '**Builders Club** (12345)',
        'Rank **Officer** (100):',
        `<:ReplyCont:870763078975549440>Role(s): <@&${a}>, <@&${b}>`,
        '<:Reply:870763078975549440>Nickname: `{smart-name}`',
        'Ranks **Member** (1) to **Officer** (100):',
        `╰ Role(s): <@&${a}>`,
        `Rank **Owner** (255) or above: Role(s): <@&${b}>`,
        'Rank 20 or below:',
        `Role(s): <@&${b}>`,
        '**All group members**:',
        `Role(s): <@&${a}>`,
        '**Non-group members**:',
        `Role(s): <@&${b}>`,
        `Remove Roles:<@&${a}>`,
        'Page 1/1',
      ].join('\n'),
    );
    expect(parsed.refused).to.deep.equal([]);
    expect(read(parsed)).to.deep.equal([
      [4, ranks('12345', 100), [`<@&${a}>`, `<@&${b}>`]],
      [7, ranks('12345', 1, 100), [`<@&${a}>`]],
      [9, ranks('12345', 255), [`<@&${b}>`]],
      [10, ranks('12345', 1, 20), [`<@&${b}>`]],
      [12, member('12345'), [`<@&${a}>`]],
      [14, { type: 'not', of: member('12345') }, [`<@&${b}>`]],
    ]);
    expect(remarks(parsed.notes)).to.deep.equal([
      [6, 'left_out'],
      [16, 'left_out'],
    ]);
  });

  it('A mapping import reads Bloxlink’s binds from the clipboard, with names of roles, and its sentences under /bind', () => {
    const parsed = parseBloxlink(
      [
        'Linked Groups',
        'The Army (77)',
        'Builders Club (5)',
        '• People with the rank Officer (100) receive the role @Officer, first class',
        '- _People with a rank between **Member (1)** and **Officer (100)** receive the roles @Staff, @Old Guard_',
        '- _People with a rank greater than or equal to Supporter (10) receive the role @Staff_',
        'People with a rank less than or equal to 9 receive the role @New',
        'People who are in **this group** receive the role @Builders',
        'People who are NOT in this group receive the role @Guests, and have these roles removed: @Builders',
        'All users in **this** group receive the role matching their group rank name.',
        'People who have verified their Roblox account receive the role @Verified',
        'People who have not verified their Roblox account receive the role @Stranger',
      ].join('\r\n'),
    );
    const named = (groupId: string) => ({ type: 'group_roles', groupId, match: 'name' });
    expect(read(parsed)).to.deep.equal([
      [2, named('77'), []],
      [3, named('5'), []],
      [4, ranks('5', 100), ['@Officer, first class']],
      [5, ranks('5', 1, 100), ['@Staff', '@Old Guard']],
      [6, ranks('5', 10, 255), ['@Staff']],
      [7, ranks('5', 1, 9), ['@New']],
      [8, member('5'), ['@Builders']],
      [9, { type: 'not', of: member('5') }, ['@Guests']],
      [10, named('5'), []],
      [11, { type: 'verified' }, ['@Verified']],
      [12, { type: 'unverified' }, ['@Stranger']],
    ]);
    expect(parsed.refused).to.deep.equal([]);
    expect(remarks(parsed.notes)).to.deep.equal([[9, 'left_out']]);
  });

  it('A mapping import names Bloxlink’s lines that it does not understand, or that have no counterpart', () => {
    const parsed = parseBloxlink(
      [
        'People with the rank Officer (100) receive the role @Officer',
        'Builders (5)',
        'Rank Officer (100):',
        'Rank Owner (255): Role(s): @Owner',
        'Role(s): @Nobody',
        'something else altogether',
        'Badges',
        'Best Badge (99)',
        'Role(s): @Badge',
        '_... and 12 more. Click here to view the rest!_',
        `Ranks ${'(1) to '.repeat(9_000)}`,
      ].join('\n'),
    );
    expect(read(parsed)).to.deep.equal([[4, ranks('5', 255), ['@Owner']]]);
    expect(remarks(parsed.refused)).to.deep.equal([
      [1, 'not_understood'],
      [3, 'not_understood'],
      [5, 'not_understood'],
      [6, 'not_understood'],
      [8, 'unsupported'],
      [9, 'unsupported'],
      [10, 'cut_off'],
      [11, 'not_understood'],
    ]);
  });
});

describe('Mappings from RoVer', () => {
  it('A mapping import reads the output of RoVer’s !bindings', () => {
    const parsed = parseRover(
      [
        '**__Role Bindings__**',
        '',
        '**Verified Role**',
        `Verified <${a}>`,
        '**Unverified Role**',
        `Not Verified <${b}>`,
        '**__Group Bindings__**',
        `High Ranks <${a}>`,
        '```markdown',
        '# Group 372',
        'Ranks 150, 200-255',
        '',
        '...or',
        '# Group 99',
        'Rank 7',
        '```',
        `Everybody <${b}>`,
        '# Group 372',
        'Ranks 1-255',
        `Outsider <${b}>`,
        '# Group 372',
        'Rank 0',
        `Developers <${a}>`,
        '# Virtual Group DevForum',
        'Argument none',
        'what is this',
        `Nothing <${a}>`,
      ].join('\n'),
    );
    expect(read(parsed)).to.deep.equal([
      [4, { type: 'verified' }, [a]],
      [6, { type: 'unverified' }, [b]],
      [8, { type: 'any', of: [{ type: 'any', of: [ranks('372', 150), ranks('372', 200, 255)] }, ranks('99', 7)] }, [a]],
      [17, member('372'), [b]],
      [20, { type: 'not', of: member('372') }, [b]],
    ]);
    expect(remarks(parsed.refused)).to.deep.equal([
      [26, 'not_understood'],
      [23, 'not_understood'],
      [27, 'not_understood'],
    ]);
  });

  it('A mapping import reads RoVer’s JSON: whole settings or the list alone, in new and old form', () => {
    const list = [
      { role: a, groups: [{ id: '5', ranks: [3, 1, 2, 9] }] },
      { role: b, group: '5', rank: 200, operator: 'gt' },
      { role: b, group: 5, rank: '7' },
      { role: a, group: '5', rank: 3, operator: 'lt' },
      { role: a, groups: [{ id: 'DevForum', ranks: [] }] },
      { role: a, groups: [{ id: '5', ranks: [] }] },
      { colour: 'red' },
    ];
    const wanted = [
      [1, { type: 'any', of: [ranks('5', 1, 3), ranks('5', 9)] }, [a]],
      [2, ranks('5', 200, 255), [b]],
      [3, ranks('5', 7), [b]],
      [4, { type: 'any', of: [ranks('5', 1, 2), { type: 'not', of: member('5') }] }, [a]],
    ];
    const alone = parseRover(JSON.stringify(list));
    expect(read(alone)).to.deep.equal(wanted);
    expect(remarks(alone.refused)).to.deep.equal([5, 6, 7].map((line) => [line, 'not_understood']));
    const whole = parseRover(JSON.stringify({ groupRankBindings: list, verifiedRole: b, nicknameFormat: '%RANK%' }));
    expect(read(whole)).to.deep.equal([...wanted, [8, { type: 'verified' }, [b]]]);
    for (const text of ['[1', '{"groupRankBindings":5}']) expect(() => parseRover(text)).to.throw(InvalidRequest);
  });
});
