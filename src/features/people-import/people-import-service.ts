import { trusted } from 'mongoose';
import { config } from '../../config/config.js';
import { guildSuspended } from '../../core/access/guild-access.js';
import type { Actor, ErasedPerson } from '../../core/actors/actor.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { Conflict, NotFound } from '../../lib/errors.js';
import { newId } from '../../lib/ids.js';
import { seal } from '../../lib/sealed-secrets.js';
import { dayMs, secondMs } from '../../lib/time.js';
import { isDuplicateKey } from '../../platforms/database/duplicate-key.js';
import { readMemberPage } from '../../platforms/discord/guild-members.js';
import { type LinkSource, paceOf } from '../../platforms/link-sources/link-sources.js';
import { countsOfPairs, countUnlinkedMembers } from '../accounts/account-import.js';
import type { ImportSource } from '../accounts/account-model.js';
import { eraseRefusedImports } from '../accounts/refused-imports.js';
import { importEnding } from './people-import-ending.js';
import {
  type ImportRow,
  ImportRows,
  noCounts,
  type PeopleImport,
  PeopleImports,
  rowId,
} from './people-import-model.js';
import { wakeImport } from './people-import-worker.js';
import { contradictingAmong, type Pair, type PeopleImportDraft, pairsOf, withoutRepeats } from './people-list.js';

const shownProblems = 100;
const keptMs = 30 * dayMs;
/** Time per pair of a list, measured with a hundred names per call. */
const msPerListedPair = 20;

/** How long a pair of a source takes, in milliseconds. */
export const msPerPair = (source: ImportSource): number => (source === 'list' ? msPerListedPair : paceOf(source));

/** The expected effect of an import, without calls to Roblox or another bot. */
export interface ProposedImport {
  source: ImportSource;
  total: number;
  new: number;
  known: number;
  contradicting: number;
  refused: number;
  not_in_server: number;
  seconds: number;
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
    return { source, total, new: total, ...none, seconds: secondsFor(source, total) };
  }
  const present = await presentAmong(guild._id, new Set(pairs.map(({ chatUserId }) => chatUserId)));
  const wrong = contradictingAmong(pairs);
  const there = pairs.filter((pair) => present.has(pair.chatUserId) && !wrong.has(pair));
  const counts = await countsOfPairs(guild._id, there);
  const absent = pairs.filter((pair) => !present.has(pair.chatUserId) && !wrong.has(pair)).length;
  const contradicting = counts.contradicting + wrong.size;
  const seconds = secondsFor('list', pairs.length);
  return { source: 'list', total: pairs.length, ...counts, contradicting, not_in_server: absent, seconds };
}

const secondsFor = (source: ImportSource, count: number): number => Math.ceil((count * msPerPair(source)) / secondMs);

/** The pairs of a list, each once; null for another bot. */
function listedPairs(draft: PeopleImportDraft): Pair[] | null {
  if ('people' in draft) return withoutRepeats(draft.people);
  return 'csv' in draft ? withoutRepeats(pairsOf(draft.csv)) : null;
}

function requireSource(draft: PeopleImportDraft): LinkSource {
  if ('source' in draft && config().peopleImport.from.includes(draft.source)) return draft.source;
  throw new Conflict(
    'import_source_off',
    'The host of this bot has not switched on imports from that bot (PEOPLE_IMPORT).',
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

/**
 * Begins an import, which a job works off. @throws Forbidden `guild_suspended`, Conflict `import_running` and
 * `import_source_off`, InvalidRequest for a list that is none.
 */
export async function startImport(guild: Guild, actor: Actor, draft: PeopleImportDraft): Promise<PeopleImport> {
  if (guild.state === 'suspended') throw guildSuspended(guild);
  const pairs = listedPairs(draft);
  const source = pairs === null ? requireSource(draft) : 'list';
  if ((await PeopleImports.findOne({ guildId: guild._id, open: true })) !== null) throw importRunning();
  const _id = newId('pim');
  const sealedKey =
    'key' in draft ? await seal({ key: draft.key }, { purpose: 'people-import', salt: _id }) : undefined;
  const total = pairs === null ? await countUnlinkedMembers(guild) : pairs.length;
  const rows = pairs === null ? [] : rowsOf(_id, guild._id, pairs);
  const contradicting = rows.filter(({ problem }) => problem !== undefined).length;
  const { kind, id, name } = actor;
  const started: PeopleImport = {
    ...{ _id, guildId: guild._id, open: true, source, state: 'running', actor: { kind, id, name }, total, after: '0' },
    ...(sealedKey !== undefined && { sealedKey }),
    counts: { ...noCounts, contradicting, done: contradicting },
    fence: 0,
    createdAt: clock.now(),
  };
  const target = { kind: 'people-import', id: _id };
  const entry = newEntry({
    ...{ guildId: guild._id, actor, action: 'people.import_started', target },
    changes: { source: { from: null, to: source }, people: { from: null, to: total } },
  });
  if (rows.length > 0) await ImportRows.insertAll(rows);
  try {
    await PeopleImports.insert({ ...started, outbox: [entry] });
  } catch (error) {
    await ImportRows.acrossGuilds.deleteMany({ importId: _id });
    if (isDuplicateKey(error)) throw importRunning();
    throw error;
  }
  await enterLog(entry);
  await wakeImport(_id);
  return started;
}

const importRunning = (): Conflict =>
  new Conflict('import_running', 'An import of people is running in this server. Wait for its end, or cancel it.');

function rowsOf(importId: string, guildId: string, pairs: readonly Pair[]): ImportRow[] {
  const wrong = contradictingAmong(pairs);
  return pairs.map((pair) => ({
    _id: rowId(importId, pair.chatUserId, pair.gameUserId),
    ...{ guildId, importId, ...pair },
    ...(wrong.has(pair) && { problem: 'contradicting' as const, isPreset: true as const }),
  }));
}

/** The import that began last in a guild, with the first of its problems; null if there was none within a month. */
export async function latestImport(guildId: string): Promise<{ found: PeopleImport; problems: ImportRow[] } | null> {
  const [found] = await PeopleImports.find({ guildId }, { sort: { _id: -1 }, limit: 1, hint: { guildId: 1, _id: -1 } });
  if (found === undefined) return null;
  const problems = await ImportRows.find(
    { guildId, importId: found._id, problem: trusted({ $exists: true }) },
    { limit: shownProblems, hint: { importId: 1, problem: 1, chatUserId: 1 } },
  );
  return { found, problems };
}

/** Ends the open import of a guild; accounts imported so far stay. @throws NotFound `import_not_found`. */
export async function cancelImport(guild: Guild, actor: Actor): Promise<PeopleImport> {
  const open = await PeopleImports.findOne({ guildId: guild._id, open: true });
  const ended = open && (await importEnding(open, actor, 'cancelled'));
  if (!ended) throw new NotFound('import_not_found', 'No import is running in this server.');
  return ended;
}

/** Removes imports that ended long ago. */
export async function purgeImports(now: Date): Promise<void> {
  const old = { finishedAt: trusted({ $lt: new Date(now.getTime() - keptMs) }) };
  const ids = await PeopleImports.acrossGuilds.distinct('_id', old);
  if (ids.length === 0) return;
  await ImportRows.acrossGuilds.deleteMany({ importId: trusted({ $in: ids }) });
  await PeopleImports.acrossGuilds.deleteMany({ _id: trusted({ $in: ids }) });
}

/** The imports of the last month that a person began. */
export function importsBegunBy(chatUserId: string): AsyncIterable<PeopleImport> {
  const theirs = { 'actor.kind': 'user' as const, 'actor.id': chatUserId };
  return PeopleImports.acrossGuilds.find(theirs).sort({ _id: 1 }).lean<PeopleImport>().cursor();
}

/** The pairs that imports of the last month name for a person. */
export function importedPairsOf(chatUserId: string): AsyncIterable<ImportRow> {
  return ImportRows.acrossGuilds.find({ chatUserId }).sort({ _id: 1 }).lean<ImportRow>().cursor();
}

/** A person is erased: no import names them any more, and those that they began are kept without their name. */
export async function eraseFromImports({ chatUserId, pseudonym }: ErasedPerson): Promise<void> {
  const begun = { 'actor.kind': 'user' as const, 'actor.id': chatUserId };
  await PeopleImports.acrossGuilds.updateMany(begun, { $set: { 'actor.id': pseudonym, 'actor.name': pseudonym } });
  await ImportRows.acrossGuilds.deleteMany({ chatUserId });
  await eraseRefusedImports(chatUserId);
}
