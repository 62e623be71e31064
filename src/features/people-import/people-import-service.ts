import { trusted } from 'mongoose';
import { guildSuspended } from '../../core/access/guild-access.js';
import type { Actor, ErasedPerson } from '../../core/actors/actor.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';
import { dropDraftsNaming } from '../../core/drafts/review-drafts.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { Conflict, NotFound, VersionMismatch } from '../../lib/errors.js';
import { newId } from '../../lib/ids.js';
import { seal } from '../../lib/sealed-secrets.js';
import { dayMs } from '../../lib/time.js';
import { isDuplicateKey } from '../../platforms/database/duplicate-key.js';
import { voucherOf } from '../accounts/account-words.js';
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
import { isAsReviewed, listedPairs, numbersOf, requireSource } from './people-import-review.js';
import { wakeImport } from './people-import-worker.js';
import { contradictingAmong, type Pair, type PeopleImportDraft } from './people-list.js';

const shownProblems = 100;
const keptMs = 30 * dayMs;
/**
 * Begins the import that a review has shown, which a job works off. @throws Forbidden `guild_suspended`, Conflict
 * `import_running` and `import_source_off`, VersionMismatch when the numbers have changed since, InvalidRequest for a list
 * that is none, ChatPlatformUnavailable.
 */
export async function startImport(guild: Guild, actor: Actor, draft: PeopleImportDraft): Promise<PeopleImport> {
  if (guild.state === 'suspended') throw guildSuspended(guild);
  const pairs = listedPairs(draft);
  const source = pairs === null ? requireSource(draft) : 'list';
  if ((await PeopleImports.findOne({ guildId: guild._id, open: true })) !== null) throw importRunning();
  const { numbers } = await numbersOf(guild, draft);
  const { total } = numbers;
  if (!isAsReviewed(draft.reviewKey, numbers)) throw new VersionMismatch();
  const _id = newId('pim');
  const sealedKey =
    'key' in draft ? await seal({ key: draft.key }, { purpose: 'people-import', salt: _id }) : undefined;
  const rows = pairs === null ? [] : rowsOf(_id, guild._id, pairs);
  const contradicting = rows.filter(({ problem }) => problem !== undefined).length;
  const { kind, id, name } = actor;
  const voucher = await voucherOf(guild._id, actor);
  const started: PeopleImport = {
    ...{ _id, guildId: guild._id, open: true, source, state: 'running', total, after: '0' },
    ...{ actor: { kind, id, name }, voucher },
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
  wakeImport(_id);
  return started;
}

const importRunning = (): Conflict =>
  new Conflict('import_running', 'An import is already running in this server. Wait until it ends, or cancel it.');

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
  return { found, problems: await problemsOf(found) };
}

/** The first pairs that an import did not import. */
export function problemsOf({ _id: importId, guildId }: Pick<PeopleImport, '_id' | 'guildId'>): Promise<ImportRow[]> {
  const listed = { guildId, importId, problem: trusted({ $exists: true }) };
  return ImportRows.find(listed, { limit: shownProblems, hint: { importId: 1, problem: 1, chatUserId: 1 } });
}

/**
 * Ends the open import of a guild, or the named one; accounts imported so far stay. @throws NotFound `import_not_found`.
 */
export async function cancelImport(guild: Guild, actor: Actor, importId?: string): Promise<PeopleImport> {
  const which = importId === undefined ? {} : { _id: importId };
  const open = await PeopleImports.findOne({ ...which, guildId: guild._id, open: true });
  const ended = open && (await importEnding(open, actor, 'cancelled'));
  if (!ended) throw new NotFound('import_not_found', 'No import is running in this server.');
  return ended;
}

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

/** A person is erased: no import, and no list that waits for its confirmation, names them any more, and those that they began are kept without their name. */
export async function eraseFromImports({ chatUserId, pseudonym }: ErasedPerson): Promise<void> {
  const begun = { 'actor.kind': 'user' as const, 'actor.id': chatUserId };
  await PeopleImports.acrossGuilds.updateMany(begun, { $set: { 'actor.id': pseudonym, 'actor.name': pseudonym } });
  await ImportRows.acrossGuilds.deleteMany({ chatUserId });
  await dropDraftsNaming('people', chatUserId);
  await eraseRefusedImports(chatUserId);
}
