import { createHash } from 'node:crypto';
import { config } from '../../config/config.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { Conflict } from '../../lib/errors.js';
import { secondMs } from '../../lib/time.js';
import { readMemberPage } from '../../platforms/discord/guild-members.js';
import { type LinkSource, paceOf } from '../../platforms/link-sources/link-sources.js';
import { countsOfPairs, countUnlinkedMembers } from '../accounts/account-import.js';
import type { ImportSource } from '../accounts/account-model.js';
import { contradictingAmong, type Pair, type PeopleImportDraft, pairsOf, withoutRepeats } from './people-list.js';

/** Time per pair of a list, measured with a hundred names per call. */
const msPerListedPair = 20;

/** How long a pair of a source takes, in milliseconds. */
export const msPerPair = (source: ImportSource): number => (source === 'list' ? msPerListedPair : paceOf(source));

export interface ProposedImport {
  source: ImportSource;
  total: number;
  new: number;
  known: number;
  contradicting: number;
  refused: number;
  not_in_server: number;
  seconds: number;
  /** Names exactly this for its confirmation. */
  reviewKey: string;
}

/**
 * Predicts the effect of an import and changes nothing. @throws Conflict `import_source_off`, InvalidRequest for an
 * invalid list, ChatPlatformUnavailable.
 */
export async function proposeImport(guild: Guild, draft: PeopleImportDraft): Promise<ProposedImport> {
  const pairs = listedPairs(draft);
  if (pairs === null) {
    const source = requireSource(draft);
    const total = await countUnlinkedMembers(guild);
    const none = { known: 0, contradicting: 0, refused: 0, not_in_server: 0 };
    const reviewKey = `${source}.${total}`;
    return { source, total, new: total, ...none, seconds: secondsFor(source, total), reviewKey };
  }
  const present = await presentAmong(guild._id, new Set(pairs.map(({ chatUserId }) => chatUserId)));
  const wrong = contradictingAmong(pairs);
  const there = pairs.filter((pair) => present.has(pair.chatUserId) && !wrong.has(pair));
  const counts = await countsOfPairs(guild._id, there);
  const absent = pairs.filter((pair) => !present.has(pair.chatUserId) && !wrong.has(pair)).length;
  const contradicting = counts.contradicting + wrong.size;
  const seconds = secondsFor('list', pairs.length);
  const numbers = { total: pairs.length, ...counts, contradicting, not_in_server: absent };
  return { source: 'list', ...numbers, seconds, reviewKey: keyOf({ pairs, numbers }) };
}

const keyOf = (content: object): string => createHash('sha256').update(JSON.stringify(content)).digest('base64url');

/**
 * Whether a review has shown this. Members come and go, so another bot may be asked for a tenth more of them than were
 * shown.
 */
export function isAsReviewed(shown: string | undefined, { source, total, reviewKey }: ProposedImport): boolean {
  if (source === 'list' || shown === undefined) return shown === reviewKey;
  const [bot, count = ''] = shown.split('.');
  return bot === source && /^\d+$/.test(count) && total <= Number(count) + Math.ceil(Number(count) / 10) + 10;
}

const secondsFor = (source: ImportSource, count: number): number => Math.ceil((count * msPerPair(source)) / secondMs);

/** The pairs of a list, each once; null for another bot. */
export function listedPairs(draft: PeopleImportDraft): Pair[] | null {
  if ('people' in draft) return withoutRepeats(draft.people);
  return 'csv' in draft ? withoutRepeats(pairsOf(draft.csv)) : null;
}

export function requireSource(draft: PeopleImportDraft): LinkSource {
  if ('source' in draft && config().peopleImport.from.includes(draft.source)) return draft.source;
  throw new Conflict(
    'import_source_off',
    "The host of this bot hasn't turned on imports from that bot (PEOPLE_IMPORT).",
  );
}

async function presentAmong(guildId: string, wanted: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const present = new Set<string>();
  for (let after: string | null = '0'; after !== null && present.size < wanted.size; ) {
    const page: Awaited<ReturnType<typeof readMemberPage>> = await readMemberPage(guildId, after);
    for (const { chatUserId } of page.members) if (wanted.has(chatUserId)) present.add(chatUserId);
    after = page.next;
  }
  return present;
}
