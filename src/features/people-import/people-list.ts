import { z } from 'zod';
import { InvalidRequest } from '../../lib/errors.js';
import { boundedText } from '../../lib/given-text.js';
import { gameId, snowflake } from '../../lib/ids.js';
import { BrokenTable, rowsOf } from '../../lib/table-text.js';
import { t } from '../../lib/translate.js';
import { linkSource } from '../../platforms/link-sources/link-sources.js';
import { sidesOf } from './people-columns.js';

const mostPairs = 10_000;
const longestCsv = 900_000;
/** A list's maximum size as a file, CSV or JSON, in bytes. */
export const mostBytes = 1024 * 1024;

export const pair = z.strictObject({ chatUserId: snowflake, gameUserId: gameId });
export type Pair = z.output<typeof pair>;

/** Whether an import sets its people's nicknames, or keeps them as they are. */
export const nicknameChoice = z.enum(['set', 'keep']);
export type NicknameChoice = z.output<typeof nicknameChoice>;

const confirmed = {
  nicknames: nicknameChoice
    .optional()
    .describe(
      '`keep`: people keep their nicknames as long as they have not verified themselves. Without it, new people get one, and known ones stay as they were imported.',
    ),
  dryRun: z.boolean().default(true).describe('Only returns the effect, without the import.'),
  reviewKey: z
    .string()
    .max(100)
    .exactOptional()
    .describe('Of the dry run that showed the numbers. Without `dryRun` it is needed, and must still name the same.'),
};

export const longestKey = 500;
const sourceKey = z.string().regex(new RegExp(`^[\\x21-\\x7e]{1,${longestKey}}$`));

/** A typed key without the spaces around it. @throws InvalidRequest for a text that is none. */
export function requireKey(typed: string): string {
  const key = sourceKey.safeParse(typed.trim());
  if (key.success) return key.data;
  throw new InvalidRequest([{ path: 'key', message: t('input.pair_key') }]);
}

/** The body of POST …/people/import: a list, the same as a text, or another bot that is to be asked. */
export const peopleImportBody = z.union([
  z.strictObject({ people: z.array(pair).min(1).max(mostPairs), ...confirmed }),
  z.strictObject({
    csv: z
      .string()
      .min(1)
      .max(longestCsv)
      .describe(
        'Lines of `chatUserId,gameUserId`; or columns in any order below a heading such as `discord_id,roblox_id`; or JSON.',
      ),
    ...confirmed,
  }),
  z.strictObject({
    source: linkSource.describe('The other bot. The host of this one must have switched it on.'),
    key: sourceKey.describe(
      "The server's own key for that bot's API. It is sealed, used for this import only, and gone when it ends.",
    ),
    ...confirmed,
  }),
]);
export type PeopleImportDraft = z.output<typeof peopleImportBody>;

/**
 * A text's pairs: a table with or without a heading, or JSON. JSON is a list of objects, one object a line, or one
 * object with Roblox IDs by Discord IDs. People that a named column or field gives no account are left out (PEOPLE-22).
 * @throws InvalidRequest that names the first wrong line or item, or the columns that it looked for.
 */
export function pairsOf(given: string): Pair[] {
  const text = boundedText(given, 'csv', mostBytes).replace(/^\uFEFF/, '');
  const pairs = /^\s*[[{]/.test(text) ? pairsOfJson(text) : pairsOfTable(text);
  if (pairs.length === 0 || pairs.length > mostPairs) throw notAList(t('input.pair_lines', { most: mostPairs }));
  return pairs;
}

function pairsOfTable(text: string): Pair[] {
  const pairs: Pair[] = [];
  let columns: Columns | undefined;
  try {
    for (const { cells, line } of rowsOf(text, { byHeader: true })) {
      if (columns === undefined && isHeading(cells)) {
        columns = columnsOf(cells);
        continue;
      }
      columns ??= { chatUserId: 0, gameUserId: 1, count: 2, named: false };
      const read = pairInRow(cells, columns);
      if (read === 'wrong') throw notAList(t('input.pair_line', { place: line }));
      if (read !== 'without_account') pairs.push(read);
      if (pairs.length > mostPairs) break;
    }
  } catch (error) {
    if (error instanceof BrokenTable) throw notAList(t('input.csv'));
    throw error;
  }
  return pairs;
}

/** The two columns' places, from 0, and the cell count in a row. */
interface Columns {
  chatUserId: number;
  gameUserId: number;
  count: number;
  named: boolean;
}

/** Words, in any language; a column of row numbers may have none. A mistyped pair is no heading, since it holds an id. */
const isHeading = (titles: readonly string[]): boolean =>
  titles.some((title) => /^[\p{L}_]/u.test(title)) && !titles.some((cell) => /^\d+$|\d{17}/.test(cell));

function columnsOf(cells: readonly string[]): Columns {
  const titles = cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
  const { chatUserId, gameUserId } = sidesOf(titles);
  // Nothing else looks like a Discord ID, so the column beside Roblox's may have a name in any language.
  const beside = titles.length === 2 && gameUserId !== undefined ? 1 - gameUserId : undefined;
  const people = chatUserId ?? beside;
  if (people === undefined || gameUserId === undefined)
    throw notAList(t('input.pair_columns', { discord: 'discord_id', roblox: 'roblox_id' }));
  return { chatUserId: people, gameUserId, count: titles.length, named: true };
}

type ReadPair = Pair | 'wrong' | 'without_account';

function pairInRow(cells: readonly string[], { count, named, ...columns }: Columns): ReadPair {
  if (cells.length < count || cells.slice(count).some((cell) => cell !== '')) return 'wrong';
  return pairIn(cells[columns.chatUserId], cells[columns.gameUserId], named);
}

/** The pair of two values. An absent account is one only where its place has a name. */
function pairIn(chatUserId: unknown, gameUserId: unknown, named: boolean): ReadPair {
  const isPerson = snowflake.safeParse(chatUserId).success;
  if (named && isPerson && (gameUserId === '' || gameUserId === null)) return 'without_account';
  const read = pair.safeParse({ chatUserId, gameUserId });
  return read.success ? read.data : 'wrong';
}

function pairsOfJson(text: string): Pair[] {
  const items = itemsOf(text);
  const refusal = t('input.pair_list', { most: mostPairs, example: examplePair });
  if (items === undefined || items.length > mostPairs) throw notAList(refusal);
  return items.flatMap((item, index) => {
    const read = pairInItem(item);
    if (read === 'nameless' && index === 0) throw notAList(refusal);
    if (read === 'wrong' || read === 'nameless') throw notAList(t('input.pair_item', { place: index + 1 }));
    return read === 'without_account' ? [] : [read];
  });
}

/** A JSON text's documents, from a list, an object around it, one document a line, or an object by Discord IDs. */
function itemsOf(text: string): unknown[] | undefined {
  const content = parsed(text) ?? parsed(`[${text.trim().replaceAll(/\r?\n\s*/g, ',')}]`);
  const list = isObject(content) && 'people' in content ? content.people : content;
  if (Array.isArray(list)) return list;
  if (!isObject(list)) return undefined;
  const entries = Object.entries(list);
  const isById = entries.length > 0 && entries.every(([key]) => snowflake.safeParse(key).success);
  return isById ? entries.map(([chatUserId, account]) => ({ ...accountIn(account), chatUserId })) : [list];
}

/** An account as its id, or as an object that names it. */
const accountIn = (value: unknown): object =>
  isObject(value) && idIn(value) === value ? value : { gameUserId: value };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function pairInItem(item: unknown): ReadPair | 'nameless' {
  if (!isObject(item)) return 'wrong';
  const { chatUserId, gameUserId } = sidesOf(Object.keys(item));
  if (chatUserId === undefined || gameUserId === undefined) return 'nameless';
  const values = Object.values(item).map(idIn);
  return pairIn(values[chatUserId], values[gameUserId], true);
}

/** An id as text. A number is one only where JSON keeps all its digits, and databases export some as an object. */
function idIn(value: unknown): unknown {
  if (isObject(value) && '$numberLong' in value) return value.$numberLong;
  if (isObject(value) && '$numberInt' in value) return value.$numberInt;
  return Number.isSafeInteger(value) ? String(value) : value;
}

const examplePair = '{"chatUserId": "123456789012345678", "gameUserId": "12345"}';

const notAList = (message: string): InvalidRequest => new InvalidRequest([{ path: 'csv', message }]);

/** Pairs that contradict another pair: both name the same person, or the same Roblox account. Neither is imported. */
export function contradictingAmong(pairs: readonly Pair[]): ReadonlySet<Pair> {
  const games = new Map<string, Set<string>>();
  const people = new Map<string, Set<string>>();
  for (const { chatUserId, gameUserId } of pairs) {
    games.set(chatUserId, (games.get(chatUserId) ?? new Set()).add(gameUserId));
    people.set(gameUserId, (people.get(gameUserId) ?? new Set()).add(chatUserId));
  }
  const isAlone = ({ chatUserId, gameUserId }: Pair) =>
    games.get(chatUserId)?.size === 1 && people.get(gameUserId)?.size === 1;
  return new Set(pairs.filter((one) => !isAlone(one)));
}

export const withoutRepeats = (pairs: readonly Pair[]): Pair[] => [
  ...new Map(pairs.map((one) => [`${one.chatUserId} ${one.gameUserId}`, one])).values(),
];
