import { z } from 'zod';
import { InvalidRequest } from '../../lib/errors.js';
import { boundedText, readJson } from '../../lib/given-text.js';
import { gameId, snowflake } from '../../lib/ids.js';
import { BrokenTable, rowsOf } from '../../lib/table-text.js';
import { t } from '../../lib/translate.js';
import { linkSource } from '../../platforms/link-sources/link-sources.js';

const mostPairs = 10_000;
const longestCsv = 900_000;
/** Maximum size of a list as a file, CSV or JSON, in bytes. */
export const mostBytes = 1024 * 1024;

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
  const pairs: Pair[] = [];
  try {
    let isFirst = true;
    for (const { cells, line } of rowsOf(boundedText(text, 'csv', mostBytes), { byHeader: false })) {
      if (!isFirst || !isHeading(cells)) pairs.push(pairIn(cells, line));
      isFirst = false;
      if (pairs.length > mostPairs) break;
    }
  } catch (error) {
    if (error instanceof BrokenTable) throw notAList(t('input.csv'));
    throw error;
  }
  if (pairs.length === 0 || pairs.length > mostPairs) throw notAList(t('input.pair_lines', { most: mostPairs }));
  return pairs;
}

function pairIn([chatUserId, gameUserId]: readonly string[], line: number): Pair {
  const read = pair.safeParse({ chatUserId, gameUserId });
  if (!read.success) throw notAList(t('input.pair_line', { place: line }));
  return read.data;
}

/** Words, in any language. A mistyped pair is none, since it holds an id. */
const isHeading = ([title = '', ...titles]: readonly string[]): boolean =>
  /^\p{L}/u.test(title) && ![title, ...titles].some((cell) => /^\d+$|\d{17}/.test(cell));

/** The pairs of a file: JSON as in the API, or CSV. @throws InvalidRequest that names the first line that is none. */
export function pairsOfFile(text: string): Pair[] {
  if (!/^[\s\ufeff]*[[{]/.test(text)) return pairsOf(text);
  const notPairs = t('input.pair_list', { most: mostPairs, example: examplePair });
  const read = listOfFile.safeParse(readJson(boundedText(text, 'csv', mostBytes), 'csv', notPairs));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const [place] = issue?.path.filter((part) => typeof part === 'number') ?? [];
  throw notAList(place === undefined ? notPairs : t('input.pair_item', { place: place + 1 }));
}

const listOfPairs = z.array(pair).min(1).max(mostPairs);
const listOfFile = z.preprocess(
  (content) => (typeof content === 'object' && content !== null && 'people' in content ? content.people : content),
  listOfPairs,
);

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
