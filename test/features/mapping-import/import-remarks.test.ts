import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parseCsv } from '../../../src/features/mapping-import/import-csv.js';
import { parseRover } from '../../../src/features/mapping-import/import-rover.js';
import { parseImportText } from '../../../src/features/mapping-import/import-text.js';
import { pairsOf } from '../../../src/features/people-import/people-list.js';
import { InvalidRequest } from '../../../src/lib/errors.js';
import { fillText } from '../../../src/lib/fill-text.js';
import { type Locale, locale, withLocale } from '../../../src/lib/translate.js';

const textsOf = (name: Locale): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`../../../../src/locales/${name}.json`, import.meta.url), 'utf8'));

const headings = 'condition,group,min,max,gameRole,days,item,roles,enabled,fact,is';
const kinds = [
  'verified, unverified, group_member, not_group_member, group_rank, group_role, group_roles',
  'premium, account_age, owns_badge, owns_game_pass, owns_asset, fact',
].join(', ');
const example = '{"chatUserId": "123456789012345678", "gameUserId": "12345"}';
const optional = 'name, group, min, max, gameRole, days, item, fact, is, atLeast, atMost, removeWhenUnmatched, enabled';

type Values = Record<string, string | number>;

/** A faulty row, its remark's key, and the values in it. */
const rows: [string, string, Values][] = [
  ['verified,,,,,,,R,true,,,more', 'no_column', {}],
  ['sometimes,,,,,,,R,', 'condition', { kinds }],
  ['group_rank,5,,,,,,R,', 'no_rank', {}],
  ['group_rank,5,20,10,,,,R,', 'rank_order', {}],
  ['group_role,5,,,,,,R,', 'no_game_role', {}],
  ['group_member,,,,,,,R,', 'no_group', { condition: 'group_member' }],
  ['account_age,,,,,0,,R,', 'no_days', { most: 3_650 }],
  ['owns_badge,,,,,,x,R,', 'no_item', { condition: 'owns_badge' }],
  ['fact,,,,,,,R,,Level,5', 'no_fact', {}],
  ['group_rank,5,1,300,,,,R,', 'rank', { column: 'max' }],
  ['verified,,,,,,,R,perhaps', 'switch', { column: 'enabled' }],
];

/** A faulty text, the reader that refuses it, the refusal's key, and the values in it. */
const texts: [() => unknown, string, Values][] = [
  [() => parseCsv('condition,roles\nverified,"R\n'), 'import_text.not_csv', { line: 2 }],
  [() => parseCsv('condition,roles\nverified,R"x\n'), 'import_text.not_csv', { line: 2 }],
  [() => parseCsv('condition,roles\nverified,"R"x\n'), 'import_text.not_csv', { line: 2 }],
  [() => parseCsv('roles\nR\n'), 'import_text.columns', { needed: 'condition, roles', optional }],
  [() => parseCsv(`condition,roles\n${'premium,R\n'.repeat(5_001)}`), 'import_text.too_long', {}],
  [() => parseRover('[1,'), 'import_text.no_json', {}],
  [() => parseImportText('rowifi', 'a\nb'), 'import_text.unread_form', { bot: 'RoWifi' }],
  [() => pairsOf('[1,'), 'input.pair_list', { most: 10_000, example }],
  [() => pairsOf('[{}]'), 'input.pair_list', { most: 10_000, example }],
  [() => pairsOf('[5]'), 'input.pair_item', { place: 1 }],
  [() => pairsOf('1,2'), 'input.pair_line', { place: 1 }],
  [() => pairsOf('discord,roblox'), 'input.pair_lines', { most: 10_000 }],
  [() => pairsOf('discord,rank'), 'input.pair_columns', { discord: 'discord_id', roblox: 'roblox_id' }],
  [() => pairsOf('"1'), 'input.csv', {}],
];

function refusalOf(read: () => unknown): string | undefined {
  try {
    read();
  } catch (error) {
    if (error instanceof InvalidRequest) return error.issues[0]?.message;
    throw error;
  }
  return undefined;
}

// DASH-51
describe('The remarks of imports', () => {
  it('The rows and texts of this test raise every remark about a CSV list', () => {
    const keys = Object.keys(textsOf('en')).filter((key) => /^import_(cell|text)\./.test(key));
    const raised = [...rows.map(([, key]) => `import_cell.${key}`), ...texts.map(([, key]) => key)];
    expect(keys.filter((key) => !raised.includes(key))).to.deep.equal([]);
  });

  for (const name of locale.options) {
    it(`Each remark about a cell or a whole text of an import is in the language ${name}`, () => {
      const words = textsOf(name);
      const wordsFor = (key: string, values: Values) => fillText(words[key] ?? '', values, name);
      const table = [headings, ...rows.map(([row]) => row)].join('\n');
      const { refused } = withLocale(name, () => parseCsv(table));
      const due = rows.map(([, key, values]) => wordsFor(`import_cell.${key}`, values));
      expect(refused.map(({ message }) => message)).to.deep.equal(due);
      for (const [read, key, values] of texts) {
        expect(
          withLocale(name, () => refusalOf(read)),
          key,
        ).to.equal(wordsFor(key, values));
      }
    });
  }
});
