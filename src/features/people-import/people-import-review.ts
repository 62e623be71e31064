import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { config } from '../../config/config.js';
import { type Actor, personBehind } from '../../core/actors/actor.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { guildShare } from '../../core/guilds/guild-share.js';
import { type BesideOtherBots, besideOtherBots } from '../../core/settings/beside-other-bots.js';
import { clock } from '../../lib/clock.js';
import { Conflict, RateLimited } from '../../lib/errors.js';
import { hashSecret } from '../../lib/ids.js';
import { currentLane, inLane } from '../../lib/lane.js';
import { minuteMs, secondMs } from '../../lib/time.js';
import { readMemberPage } from '../../platforms/discord/guild-members.js';
import { type LinkSource, paceOf } from '../../platforms/link-sources/link-sources.js';
import { countsOfPairs, countUnlinkedMembers } from '../accounts/account-import.js';
import type { ImportSource } from '../accounts/account-model.js';
import { effectsOfPairs, type ImportEffects } from './people-effects.js';
import { contradictingAmong, type Pair, type PeopleImportDraft, pairsOf, withoutRepeats } from './people-list.js';

/** Time per pair in a list, measured with a hundred names per call. */
const msPerListedPair = 20;

/** How long a pair from a source takes, in milliseconds. */
export const msPerPair = (source: ImportSource): number => (source === 'list' ? msPerListedPair : paceOf(source));

/** How many pairs an import would treat in each way. */
export interface ImportNumbers {
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

/** An import's predicted result, with the other bots that an admin should know about. */
export interface ProposedImport extends ImportNumbers, BesideOtherBots {
  effects: ImportEffects;
}

/**
 * Predicts an import with its effects on members, and changes nothing. A guild's lists are planned one at a time, in
 * its share of this process. A long one goes on in the background, and the same call answers its effects later. Throws
 * as `numbersOf` does, and RateLimited while the share is used up or too many lists are planned.
 */
export async function proposeImport(guild: Guild, actor: Actor, draft: PeopleImportDraft): Promise<ProposedImport> {
  const beside = await besideOtherBots(guild._id);
  const pairs = listedPairs(draft);
  if (pairs !== null)
    return { ...(await planList(guild, actor, { people: pairs, nicknames: draft.nicknames })), ...beside };
  const { numbers } = await numbersOf(guild, draft);
  return { ...numbers, effects: { state: 'unknown', reason: 'asked_later' }, ...beside };
}

interface PlannedList {
  guildId: string;
  numbers: Promise<ImportNumbers>;
  effects: Promise<ImportEffects>;
  stop: AbortController;
}

/** The most lists that are planned, or wait to be asked for, in this process and in one server (PEOPLE-25). */
const mostPlanned = 100;
const mostOfOneGuild = 10;

/** The lists that are planned, by the list and its asker, until their effects are answered. */
const plannedLists = new LRUCache<string, PlannedList>({
  // A list beyond these is refused, so that none gives way to another.
  max: mostPlanned,
  ttl: 10 * minuteMs,
  ttlAutopurge: true,
  perf: { now: () => clock.monotonicMs() },
  dispose: ({ stop }) => stop.abort(new Error('Nobody asks for these effects any more.')),
});

/** How long a dry run waits for its list's effects, and a refused one for a new try. */
const waitMs = 10 * secondMs;

/** Tests shorten the wait. */
export const planning = { patienceMs: waitMs };

type List = Pick<Extract<PeopleImportDraft, { people: unknown }>, 'people' | 'nicknames'>;

async function planList(guild: Guild, actor: Actor, list: List) {
  const key = hashSecret(JSON.stringify([guild._id, personBehind(actor) ?? actor.id, list]));
  const planned = plannedLists.get(key) ?? beginPlanning(guild, actor, list);
  // Its time begins anew with each call.
  plannedLists.set(key, planned);
  const patience = new AbortController();
  try {
    const numbers = await planned.numbers;
    const slow = delay(planning.patienceMs, { state: 'planning' as const }, { signal: patience.signal, ref: false });
    slow.catch(() => undefined);
    const found = await Promise.race([planned.effects, slow]);
    if (found.state !== 'planning') plannedLists.delete(key);
    return { ...numbers, effects: found };
  } catch (error) {
    plannedLists.delete(key);
    throw error;
  } finally {
    patience.abort();
  }
}

/** Begins at once, so that simultaneous calls for one list share its plan. @throws RateLimited without room. */
function beginPlanning(guild: Guild, actor: Actor, list: List): PlannedList {
  requireRoom(guild._id);
  const stop = new AbortController();
  const counted = inLane(currentLane().lane, () => numbersOf(guild, { ...list, dryRun: true }), stop.signal);
  const plan = (people: readonly Pair[]) =>
    inLane('bulk', () => effectsOfPairs(guild, actor, { ...list, people }, stop.signal), stop.signal);
  const numbers = counted.then((result) => result.numbers);
  const effects = counted.then(({ fresh }) => guildShare.run(guild._id, () => plan(fresh)));
  // Their errors are answered to the calls that ask for them.
  numbers.catch(() => undefined);
  effects.catch(() => undefined);
  return { guildId: guild._id, numbers, effects, stop };
}

function requireRoom(guildId: string): void {
  const planned = [...plannedLists.values()];
  const ofGuild = planned.filter((list) => list.guildId === guildId);
  if (planned.length < mostPlanned && ofGuild.length < mostOfOneGuild) return;
  const seconds = Math.ceil(waitMs / secondMs);
  throw new RateLimited(seconds, `Too many lists are being planned already. Try again in ${seconds} s.`);
}

/**
 * An import's numbers, and its pairs that would be new. @throws Conflict `import_source_off`, InvalidRequest for an
 * invalid list, ChatPlatformUnavailable.
 */
export async function numbersOf(
  guild: Guild,
  draft: PeopleImportDraft,
): Promise<{ numbers: ImportNumbers; fresh: readonly Pair[] }> {
  const pairs = listedPairs(draft);
  if (pairs === null) {
    const source = requireSource(draft);
    const total = await countUnlinkedMembers(guild);
    const none = { known: 0, contradicting: 0, refused: 0, not_in_server: 0 };
    const reviewKey = `${source}.${total}`;
    return {
      numbers: { source, total, new: total, ...none, seconds: secondsFor(source, total), reviewKey },
      fresh: [],
    };
  }
  const present = await presentAmong(guild._id, new Set(pairs.map(({ chatUserId }) => chatUserId)));
  const wrong = contradictingAmong(pairs);
  const there = pairs.filter((pair) => present.has(pair.chatUserId) && !wrong.has(pair));
  const { counts, fresh } = await countsOfPairs(guild._id, there);
  const absent = pairs.filter((pair) => !present.has(pair.chatUserId) && !wrong.has(pair)).length;
  const contradicting = counts.contradicting + wrong.size;
  const seconds = secondsFor('list', pairs.length);
  const counted = { total: pairs.length, ...counts, contradicting, not_in_server: absent };
  const reviewKey = keyOf({ pairs, numbers: counted });
  return { numbers: { source: 'list', ...counted, seconds, reviewKey }, fresh };
}

const keyOf = (content: object): string => createHash('sha256').update(JSON.stringify(content)).digest('base64url');

/**
 * Whether a review has shown this. Members come and go, so another bot may be asked for a tenth more than were shown.
 */
export function isAsReviewed(
  shown: string | undefined,
  { source, total, reviewKey }: Pick<ImportNumbers, 'source' | 'total' | 'reviewKey'>,
): boolean {
  if (source === 'list' || shown === undefined) return shown === reviewKey;
  const [bot, count = ''] = shown.split('.');
  return bot === source && /^\d+$/.test(count) && total <= Number(count) + Math.ceil(Number(count) / 10) + 10;
}

const secondsFor = (source: ImportSource, count: number): number => Math.ceil((count * msPerPair(source)) / secondMs);

/** A list's pairs, each once; null for another bot. */
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
