import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { InvalidRequest } from '../../lib/errors.js';
import { parseGameGroupReference } from '../../platforms/roblox/game-groups.js';
import { parseItemReference } from '../../platforms/roblox/game-inventory.js';
import { longestAgeDays } from './condition.js';
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
const rows = z.array(z.object({ record: z.record(z.string(), z.string()), info: z.object({ lines: z.int() }) }));
type Row = Readonly<Record<string, string | undefined>>;

/**
 * Reads mappings from CSV (RFC 4180; separated by commas, semicolons or tabs, as the first line shows) with a header
 * line of `columns` in any order. Throws InvalidRequest for what is no such CSV at all.
 */
export function parseCsv(text: string): ParsedImport {
  const parsed = new ParsedImport();
  for (const { record, info } of readRows(text)) {
    try {
      parsed.take(proposalOf(record, info.lines));
    } catch (error) {
      if (!(error instanceof Misfit)) throw error;
      parsed.refuse(info.lines, error.message);
    }
  }
  return parsed;
}

/** What is wrong with a row, in words. */
class Misfit extends Error {}

function readRows(text: string): z.output<typeof rows> {
  try {
    const options = { bom: true, info: true, trim: true, skip_empty_lines: true, relax_column_count_less: true };
    return rows.parse(parse(text, { ...options, delimiter: delimiterOf(text), columns: readHeader }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new InvalidRequest([{ path: 'text', message: `is not CSV: ${error.message}` }]);
  }
}

function delimiterOf(text: string): string {
  const [header = ''] = text.split(/\r?\n/, 1);
  const count = (mark: string): number => header.split(mark).length;
  return [',', ';', '\t'].reduce((best, mark) => (count(mark) > count(best) ? mark : best));
}

function readHeader(header: string[]): string[] {
  const names = header.map((title) => columns.find((name) => name.toLowerCase() === title.toLowerCase()) ?? title);
  const unknown = names.filter((name) => !columns.some((column) => column === name));
  const missing = needed.filter((name) => !names.includes(name));
  if (unknown.length + missing.length > 0) {
    const message = `must begin with a line of these columns: ${columns.join(', ')}; condition and roles are needed`;
    throw new InvalidRequest([{ path: 'text', message }]);
  }
  return names;
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
  switch (row.condition) {
    case 'verified':
    case 'unverified':
      return { type: row.condition };
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
      throw new Misfit(`condition must be one of ${kinds.join(', ')}`);
  }
}

function rankOf(row: Row): ProposedCondition {
  if (!row.min && !row.max) throw new Misfit('group_rank needs min or max');
  const [min, max] = [readRank(row, 'min', 1), readRank(row, 'max', 255)];
  if (min > max) throw new Misfit('max must not be less than min');
  return { type: 'group_rank', groupId: readGroup(row), min, max };
}

function gameRoleOf(row: Row): ProposedCondition {
  const groupId = readGroup(row);
  if (!row.gameRole) throw new Misfit('group_role needs gameRole: the id or name of a role of the group');
  if (/^\d+$/.test(row.gameRole)) return { type: 'group_role', groupId, gameRoleId: row.gameRole };
  return { type: 'named_game_role', groupId, name: row.gameRole };
}

function readGroup({ group = '', condition = '' }: Row): string {
  const groupId = parseGameGroupReference(group);
  if (groupId === null)
    throw new Misfit(`${condition} needs group: the id of a Roblox group or the address of its page`);
  return groupId;
}

function readDays({ days = '' }: Row): number {
  if (/^\d{1,4}$/.test(days) && Number(days) >= 1 && Number(days) <= longestAgeDays) return Number(days);
  throw new Misfit(`account_age needs days: a number from 1 to ${longestAgeDays}`);
}

function readItem({ item = '', condition = '' }: Row): string {
  const id = parseItemReference(item);
  if (id === null) throw new Misfit(`${condition} needs item: its id on Roblox or the address of its page`);
  return id;
}

function readRank(row: Row, column: 'min' | 'max', otherwise: number): number {
  const text = row[column];
  if (!text) return otherwise;
  const rank = Number(text);
  if (!/^\d{1,3}$/.test(text) || rank > 255) throw new Misfit(`${column} must be a rank from 0 to 255`);
  return rank;
}

function readSwitch(row: Row, column: 'removeWhenUnmatched' | 'enabled'): boolean {
  const text = (row[column] ?? '').toLowerCase();
  if (['', 'true', 'yes', '1'].includes(text)) return true;
  if (['false', 'no', '0'].includes(text)) return false;
  throw new Misfit(`${column} must be true or false`);
}
