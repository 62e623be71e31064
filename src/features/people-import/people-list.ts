import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { InvalidRequest } from '../../lib/errors.js';
import { gameId, snowflake } from '../../lib/ids.js';
import { t } from '../../lib/translate.js';
import { linkSource } from '../../platforms/link-sources/link-sources.js';

const mostPairs = 10_000;
const longestCsv = 900_000;

export const pair = z.strictObject({ chatUserId: snowflake, gameUserId: gameId });
export type Pair = z.output<typeof pair>;

const confirmed = {
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

/** The body of POST …/people/import: a list, the same as CSV, or another bot that is to be asked. */
export const peopleImportBody = z.union([
  z.strictObject({ people: z.array(pair).min(1).max(mostPairs), ...confirmed }),
  z.strictObject({
    csv: z
      .string()
      .min(1)
      .max(longestCsv)
      .describe('Lines of `chatUserId,gameUserId`, with or without these words as a heading.'),
    ...confirmed,
  }),
  z.strictObject({
    source: linkSource.describe('The other bot. The host of this one must have switched it on.'),
    key: sourceKey.describe(
      'The server’s own key for that bot’s API. It is sealed, used for this import only, and gone when it ends.',
    ),
    ...confirmed,
  }),
]);
export type PeopleImportDraft = z.output<typeof peopleImportBody>;

/** The pairs of a text. @throws InvalidRequest that names the first line that is none. */
export function pairsOf(text: string): Pair[] {
  const [first, ...others] = rowsOf(text);
  const rows = first === undefined || isHeading(first.record) ? others : [first, ...others];
  if (rows.length === 0 || rows.length > mostPairs) {
    throw notAList(t('input.pair_lines', { most: mostPairs }));
  }
  return rows.map(({ record: [chatUserId, gameUserId], info }) => {
    const read = pair.safeParse({ chatUserId, gameUserId });
    if (!read.success) throw notAList(t('input.pair_line', { place: info.lines }));
    return read.data;
  });
}

/** Words, in any language. A mistyped pair is none, since it holds an id. */
const isHeading = ([title = '', ...titles]: readonly string[]): boolean =>
  /^\p{L}/u.test(title) && ![title, ...titles].some((cell) => /^\d+$|\d{17}/.test(cell));

/** The pairs of a file: JSON as in the API, or CSV. @throws InvalidRequest that names the first line that is none. */
export function pairsOfFile(text: string): Pair[] {
  if (!/^[\s\ufeff]*[[{]/.test(text)) return pairsOf(text);
  const read = listOfFile.safeParse(jsonOrUndefined(text.replace(/^\ufeff/, '')));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const [place] = issue?.path.filter((part) => typeof part === 'number') ?? [];
  if (place === undefined) throw notAList(t('input.pair_list', { most: mostPairs, example: examplePair }));
  throw notAList(t('input.pair_item', { place: place + 1 }));
}

const listOfPairs = z.array(pair).min(1).max(mostPairs);
const listOfFile = z.preprocess(
  (content) => (typeof content === 'object' && content !== null && 'people' in content ? content.people : content),
  listOfPairs,
);

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One record with the number of lines read so far, as csv-parse gives it with `info`. */
const readRows = z.array(z.object({ record: z.array(z.string()), info: z.object({ lines: z.int() }) }));

/** A spreadsheet may name its separator in a line above the table. */
const separatorLine = /^\ufeff?"?sep=[,;\t]"?[ \t]*(?:\r\n?|\n)/i;

function rowsOf(text: string): z.output<typeof readRows> {
  const from_line = separatorLine.test(text) ? 2 : 1;
  const lenient = { bom: true, trim: true, skip_empty_lines: true, relax_column_count: true };
  try {
    return readRows.parse(parse(text, { ...lenient, delimiter: [',', ';', '\t'], from_line, info: true }));
  } catch {
    throw notAList(t('input.csv'));
  }
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
