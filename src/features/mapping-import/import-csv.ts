import { InvalidRequest } from '../../lib/errors.js';
import { BrokenTable, rowsOf } from '../../lib/table-text.js';
import { type TextKey, t } from '../../lib/translate.js';
import { typedValue } from '../../lib/typed-value.js';
import { parseGameGroupReference } from '../../platforms/roblox/game-groups.js';
import { type ItemKind, parseItemReference } from '../../platforms/roblox/game-inventory.js';
import { type Condition, longestAgeDays } from '../mappings/condition.js';
import { factCondition } from '../mappings/reported-facts.js';
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
  'fact',
  'is',
  'atLeast',
  'atMost',
  'roles',
  'removeWhenUnmatched',
  'enabled',
];
/** The words in the column `condition` for each kind; conditions made from others have none. */
const wordsOf = {
  verified: ['verified'],
  unverified: ['unverified'],
  group_member: ['group_member', 'not_group_member'],
  group_rank: ['group_rank'],
  group_role: ['group_role'],
  group_roles: ['group_roles'],
  premium: ['premium'],
  account_age: ['account_age'],
  owns_item: ['owns_badge', 'owns_game_pass', 'owns_asset'],
  fact: ['fact'],
  all: [],
  any: [],
  not: [],
} as const satisfies Readonly<Record<Condition['type'], readonly string[]>>;
const kinds = Object.values(wordsOf).flat();
const needed = ['condition', 'roles'];

type Row = Readonly<Record<string, string | undefined>>;

/**
 * Reads mappings from CSV (RFC 4180) with a header line naming `columns` in any order. The first line, or a
 * spreadsheet's `sep=;`, shows whether commas, semicolons or tabs separate it. Throws InvalidRequest for malformed CSV.
 */
export function parseCsv(text: string): ParsedImport {
  const parsed = new ParsedImport();
  let names: string[] | undefined;
  try {
    for (const { cells, line } of rowsOf(text, { byHeader: true })) {
      if (names === undefined) names = readHeader(cells);
      else takeRow(parsed, names, cells, line);
    }
  } catch (error) {
    if (!(error instanceof BrokenTable)) throw error;
    throw new InvalidRequest([{ path: 'text', message: t('import_text.not_csv', { line: error.line }) }]);
  }
  if (names === undefined) throw noColumns();
  return parsed;
}

function takeRow(parsed: ParsedImport, names: readonly string[], cells: readonly string[], line: number): void {
  const row = rowOf(cells, names);
  const proposal = row instanceof Misfit ? row : proposalOf(row, line);
  if (proposal instanceof Misfit) parsed.refuse(line, proposal.message);
  else parsed.take(proposal);
}

/** A remark about a cell, in the running code's language. No error: a text may hold thousands. */
class Misfit {
  readonly message: string;

  constructor(key: Extract<TextKey, `import_cell.${string}`>, values: Readonly<Record<string, string | number>> = {}) {
    this.message = t(key, values);
  }
}

/** The columns' names; a column without a title has none. */
function readHeader(header: string[]): string[] {
  const names = header.map((title) => columns.find((name) => name.toLowerCase() === title.toLowerCase()) ?? title);
  const titled = names.filter((name) => name !== '');
  const isKnown = titled.every((name) => columns.includes(name)) && new Set(titled).size === titled.length;
  if (!isKnown || needed.some((name) => !titled.includes(name))) throw noColumns();
  return names;
}

function noColumns(): InvalidRequest {
  const optional = columns.filter((name) => !needed.includes(name));
  const message = t('import_text.columns', { needed: needed.join(', '), optional: optional.join(', ') });
  return new InvalidRequest([{ path: 'text', message }]);
}

function rowOf(cells: readonly string[], names: readonly string[]): Row | Misfit {
  if (cells.some((cell, index) => cell !== '' && !names[index])) return new Misfit('import_cell.no_column');
  return Object.fromEntries(names.map((name, index) => [name, cells[index]]));
}

function proposalOf(row: Row, line: number): Proposal | Misfit {
  const condition = conditionOf(row);
  if (condition instanceof Misfit) return condition;
  const [removeWhenUnmatched, enabled] = [readSwitch(row, 'removeWhenUnmatched'), readSwitch(row, 'enabled')];
  if (removeWhenUnmatched instanceof Misfit) return removeWhenUnmatched;
  if (enabled instanceof Misfit) return enabled;
  const roles = (row.roles ?? '').split(/[;|\n]/).flatMap((role) => role.trim() || []);
  return { line, name: row.name || null, condition, roles, removeWhenUnmatched, enabled };
}

function conditionOf(row: Row): ProposedCondition | Misfit {
  const wanted = (row.condition ?? '').toLowerCase();
  const condition = kinds.find((word) => word === wanted);
  switch (condition) {
    case 'verified':
    case 'unverified':
    case 'premium':
      return { type: condition };
    case 'account_age':
      return ageOf(row);
    case 'fact':
      return factOf(row);
    case 'owns_badge':
    case 'owns_game_pass':
    case 'owns_asset':
      return itemOf(row, itemKinds[condition]);
    case 'group_member':
    case 'not_group_member':
    case 'group_rank':
    case 'group_role':
    case 'group_roles':
      return inGroupOf(row, condition);
    case undefined:
      return new Misfit('import_cell.condition', { kinds: kinds.join(', ') });
  }
}

const itemKinds = { owns_badge: 'badge', owns_game_pass: 'game_pass', owns_asset: 'asset' } as const;

function ageOf({ days = '' }: Row): ProposedCondition | Misfit {
  const isAge = /^\d{1,4}$/.test(days) && Number(days) >= 1 && Number(days) <= longestAgeDays;
  return isAge
    ? { type: 'account_age', days: Number(days) }
    : new Misfit('import_cell.no_days', { most: longestAgeDays });
}

function itemOf({ item = '', condition = '' }: Row, kind: ItemKind): ProposedCondition | Misfit {
  const id = parseItemReference(item);
  return id === null ? new Misfit('import_cell.no_item', { condition }) : { type: 'owns_item', kind, id };
}

/** Empty cells are left out. A value is written as in JSON, or is a text. */
function factOf({ fact: key = '', is = '', atLeast = '', atMost = '' }: Row): ProposedCondition | Misfit {
  const bounds = { ...(atLeast && { atLeast: Number(atLeast) }), ...(atMost && { atMost: Number(atMost) }) };
  const parsed = factCondition.safeParse({ type: 'fact', key, ...(is && { is: typedValue(is) }), ...bounds });
  return parsed.success ? parsed.data : new Misfit('import_cell.no_fact');
}

function inGroupOf(row: Row, type: `${'' | 'not_'}group_member` | `group_${'rank' | 'role' | 'roles'}`) {
  const groupId = parseGameGroupReference(row.group ?? '');
  if (groupId === null) return new Misfit('import_cell.no_group', { condition: row.condition ?? '' });
  if (type === 'group_rank') return rankOf(row, groupId);
  if (type === 'group_role') return gameRoleOf(row, groupId);
  if (type === 'group_roles') return { type, groupId, match: 'name' } as const;
  const member = { type: 'group_member', groupId } as const;
  return type === 'group_member' ? member : ({ type: 'not', of: member } as const);
}

function rankOf(row: Row, groupId: string): ProposedCondition | Misfit {
  if (!row.min && !row.max) return new Misfit('import_cell.no_rank');
  const [min, max] = [readRank(row, 'min', 1), readRank(row, 'max', 255)];
  if (min instanceof Misfit) return min;
  if (max instanceof Misfit) return max;
  return min > max ? new Misfit('import_cell.rank_order') : { type: 'group_rank', groupId, min, max };
}

function gameRoleOf({ gameRole }: Row, groupId: string): ProposedCondition | Misfit {
  if (!gameRole) return new Misfit('import_cell.no_game_role');
  if (/^\d+$/.test(gameRole)) return { type: 'group_role', groupId, gameRoleId: gameRole };
  return { type: 'named_game_role', groupId, name: gameRole };
}

function readRank(row: Row, column: 'min' | 'max', otherwise: number): number | Misfit {
  const text = row[column];
  if (!text) return otherwise;
  const isRank = /^\d{1,3}$/.test(text) && Number(text) <= 255;
  return isRank ? Number(text) : new Misfit('import_cell.rank', { column });
}

function readSwitch(row: Row, column: 'removeWhenUnmatched' | 'enabled'): boolean | Misfit {
  const text = (row[column] ?? '').toLowerCase();
  if (['', 'true', 'yes', '1'].includes(text)) return true;
  return ['false', 'no', '0'].includes(text) ? false : new Misfit('import_cell.switch', { column });
}
