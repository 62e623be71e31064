import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { InvalidRequest } from '../../lib/errors.js';
import { type TextKey, t } from '../../lib/translate.js';
import { parseGameGroupReference } from '../../platforms/roblox/game-groups.js';
import { parseItemReference } from '../../platforms/roblox/game-inventory.js';
import { longestAgeDays } from '../mappings/condition.js';
import { ParsedImport, type Proposal, type ProposedCondition } from './import-proposal.js';

const columns = [
  'name',
  'condition',
  'group',
  'min',
  'max',
  'gameRole',
  'days',
  'item',
  'roles',
  'removeWhenUnmatched',
  'enabled',
];
const kinds = [
  ...['verified', 'unverified', 'group_member', 'not_group_member', 'group_rank', 'group_role', 'group_roles'],
  ...['premium', 'account_age', 'owns_badge', 'owns_game_pass', 'owns_asset'],
];
const needed = ['condition', 'roles'];

/** One record with the number of lines read so far, as csv-parse gives it with `info`. */
const rows = z.array(z.object({ record: z.array(z.string()), info: z.object({ lines: z.int() }) }));
type Row = Readonly<Record<string, string | undefined>>;

/**
 * Reads mappings from CSV (RFC 4180) with a header line of `columns` in any order. The first line, or a spreadsheet's
 * `sep=;`, shows whether commas, semicolons or tabs separate it. Throws InvalidRequest for malformed CSV.
 */
export function parseCsv(text: string): ParsedImport {
  const parsed = new ParsedImport();
  const [header, ...others] = readRows(text);
  const names = readHeader(header?.record ?? []);
  for (const { record, info } of others) {
    try {
      parsed.take(proposalOf(rowOf(record, names), info.lines));
    } catch (error) {
      if (!(error instanceof Misfit)) throw error;
      parsed.refuse(info.lines, error.message);
    }
  }
  return parsed;
}

/** A remark about a cell, in the language of the running code. */
class Misfit extends Error {
  constructor(key: Extract<TextKey, `import_cell.${string}`>, values: Readonly<Record<string, string | number>> = {}) {
    super(t(key, values));
  }
}

function readRows(given: string): z.output<typeof rows> {
  const text = given.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const { delimiter, from_line } = delimited(text);
  try {
    const lenient = { trim: true, skip_empty_lines: true, skip_records_with_empty_values: true };
    const options = { ...lenient, info: true, relax_column_count: true, delimiter, from_line };
    return rows.parse(parse(withStraightQuotes(text, delimiter), options));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = z.int().parse(error.lines);
    throw new InvalidRequest([{ path: 'text', message: t('import_text.not_csv', { line }) }]);
  }
}

/** The delimiter of a table, and the line where it begins: spreadsheets may name it in a line above. */
function delimited(table: string): { delimiter: string; from_line: number } {
  const [first = '', second = ''] = table.split(/\r?\n/, 2);
  const [, said] = /^"?sep=([,;\t])"?\s*$/i.exec(first) ?? [];
  const header = said === undefined ? first : second;
  const count = (mark: string): number => header.split(mark).length;
  const most = [',', ';', '\t'].reduce((best, mark) => (count(mark) > count(best) ? mark : best));
  return { delimiter: said ?? most, from_line: said === undefined ? 1 : 2 };
}

/** The table with straight quotes around cells, in place of typographic ones; other quotes stay. */
function withStraightQuotes(table: string, delimiter: string): string {
  const bent = String.raw`(^|${delimiter}|\n)([ ]*)[“”„]([^“”„"]*)[“”](?=[ ]*(?:${delimiter}|\r?\n|$))`;
  const cells = new RegExp(`"(?:[^"]|"")*"|${bent}`, 'g');
  return table.replaceAll(cells, (cell: string, before?: string, space?: string, inside?: string) =>
    inside === undefined ? cell : `${before}${space}"${inside}"`,
  );
}

/** The names of the columns; a column without a title has none. */
function readHeader(header: string[]): string[] {
  const names = header.map((title) => columns.find((name) => name.toLowerCase() === title.toLowerCase()) ?? title);
  const titled = names.filter((name) => name !== '');
  const isKnown = titled.every((name) => columns.includes(name)) && new Set(titled).size === titled.length;
  if (!isKnown || needed.some((name) => !titled.includes(name))) {
    const optional = columns.filter((name) => !needed.includes(name));
    const message = t('import_text.columns', { needed: needed.join(', '), optional: optional.join(', ') });
    throw new InvalidRequest([{ path: 'text', message }]);
  }
  return names;
}

function rowOf(cells: readonly string[], names: readonly string[]): Row {
  if (cells.some((cell, index) => cell !== '' && !names[index])) {
    throw new Misfit('import_cell.no_column');
  }
  return Object.fromEntries(names.map((name, index) => [name, cells[index]]));
}

function proposalOf(row: Row, line: number): Proposal {
  const roles = (row.roles ?? '').split(/[;|\n]/).map((role) => role.trim());
  return {
    line,
    name: row.name || null,
    condition: conditionOf(row),
    roles: roles.filter((role) => role !== ''),
    removeWhenUnmatched: readSwitch(row, 'removeWhenUnmatched'),
    enabled: readSwitch(row, 'enabled'),
  };
}

function conditionOf(row: Row): ProposedCondition {
  const condition = (row.condition ?? '').toLowerCase();
  switch (condition) {
    case 'verified':
    case 'unverified':
      return { type: condition };
    case 'group_member':
      return { type: 'group_member', groupId: readGroup(row) };
    case 'not_group_member':
      return { type: 'not', of: { type: 'group_member', groupId: readGroup(row) } };
    case 'group_rank':
      return rankOf(row);
    case 'group_role':
      return gameRoleOf(row);
    case 'group_roles':
      return { type: 'group_roles', groupId: readGroup(row), match: 'name' };
    case 'premium':
      return { type: 'premium' };
    case 'account_age':
      return { type: 'account_age', days: readDays(row) };
    case 'owns_badge':
      return { type: 'owns_item', kind: 'badge', id: readItem(row) };
    case 'owns_game_pass':
      return { type: 'owns_item', kind: 'game_pass', id: readItem(row) };
    case 'owns_asset':
      return { type: 'owns_item', kind: 'asset', id: readItem(row) };
    default:
      throw new Misfit('import_cell.condition', { kinds: kinds.join(', ') });
  }
}

function rankOf(row: Row): ProposedCondition {
  if (!row.min && !row.max) throw new Misfit('import_cell.no_rank');
  const [min, max] = [readRank(row, 'min', 1), readRank(row, 'max', 255)];
  if (min > max) throw new Misfit('import_cell.rank_order');
  return { type: 'group_rank', groupId: readGroup(row), min, max };
}

function gameRoleOf(row: Row): ProposedCondition {
  const groupId = readGroup(row);
  if (!row.gameRole) throw new Misfit('import_cell.no_game_role');
  if (/^\d+$/.test(row.gameRole)) return { type: 'group_role', groupId, gameRoleId: row.gameRole };
  return { type: 'named_game_role', groupId, name: row.gameRole };
}

function readGroup({ group = '', condition = '' }: Row): string {
  const groupId = parseGameGroupReference(group);
  if (groupId === null) throw new Misfit('import_cell.no_group', { condition });
  return groupId;
}

function readDays({ days = '' }: Row): number {
  if (/^\d{1,4}$/.test(days) && Number(days) >= 1 && Number(days) <= longestAgeDays) return Number(days);
  throw new Misfit('import_cell.no_days', { most: longestAgeDays });
}

function readItem({ item = '', condition = '' }: Row): string {
  const id = parseItemReference(item);
  if (id === null) throw new Misfit('import_cell.no_item', { condition });
  return id;
}

function readRank(row: Row, column: 'min' | 'max', otherwise: number): number {
  const text = row[column];
  if (!text) return otherwise;
  const rank = Number(text);
  if (!/^\d{1,3}$/.test(text) || rank > 255) throw new Misfit('import_cell.rank', { column });
  return rank;
}

function readSwitch(row: Row, column: 'removeWhenUnmatched' | 'enabled'): boolean {
  const text = (row[column] ?? '').toLowerCase();
  if (['', 'true', 'yes', '1'].includes(text)) return true;
  if (['false', 'no', '0'].includes(text)) return false;
  throw new Misfit('import_cell.switch', { column });
}
