import { trusted } from 'mongoose';
import { guildSuspended } from '../../core/access/guild-access.js';
import type { Actor, ErasedPerson } from '../../core/actors/actor.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';
import { dropDraftsNaming } from '../../core/drafts/review-drafts.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { Conflict, NotFound, VersionMismatch } from '../../lib/errors.js';
import { newId, newIdAfter } from '../../lib/ids.js';
import { inPieces } from '../../lib/in-pieces.js';
import { seal } from '../../lib/sealed-secrets.js';
import { dayMs } from '../../lib/time.js';
import { insertAllDirectly } from '../../platforms/database/direct-writes.js';
import { isDuplicateKey } from '../../platforms/database/duplicate-key.js';
import { push } from '../../platforms/events/outbox.js';
import { voucherOf } from '../accounts/account-words.js';
import { eraseRefusedImports } from '../accounts/refused-imports.js';
import { importEnding, underWay } from './people-import-ending.js';
import {
  byImport,
  type ImportRow,
  ImportRows,
  leftAs,
  noCounts,
  type PeopleImport,
  PeopleImports,
  rowId,
} from './people-import-model.js';
import { isAsReviewed, listedPairs, numbersOf, requireSource } from './people-import-review.js';
import { progressOfUndo, type UndoProgress } from './people-import-undo.js';
import { wakeImport } from './people-import-worker.js';
import { contradictingAmong, type Pair, type PeopleImportDraft } from './people-list.js';

const shownProblems = 100;
const keptMs = 30 * dayMs;
/** 10,000 in one write held the event loop for half a second. */
const rowsPerWrite = 500;

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
  const [last] = await PeopleImports.find({ guildId: guild._id }, { ...newestFirst, limit: 1 });
  const _id = newIdAfter('pim', last?._id);
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
    ...(draft.nicknames === 'keep' && { keepsNicknames: true as const }),
    ...(draft.nicknames === undefined && { leavesNicknames: true as const }),
    counts: { ...noCounts, contradicting, done: contradicting },
    fence: 0,
    createdAt: clock.now(),
  };
  const target = { kind: 'people-import', id: _id };
  const entry = newEntry({
    ...{ guildId: guild._id, actor, action: 'people.import_started', target },
    changes: { source: { from: null, to: source }, people: { from: null, to: total } },
  });
  for (const some of inPieces(rows, rowsPerWrite)) await insertAllDirectly(ImportRows.acrossGuilds, some);
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

/** An import with its first pairs that were not imported, and with its undo. */
export interface ImportDetails {
  found: PeopleImport;
  problems: ImportRow[];
  /** Null: it is not undone. */
  undo: UndoProgress | null;
}

/** Far more than an admin begins within an undo's day. */
const recentImports = 100;
const newestFirst = { sort: { _id: -1 }, hint: { guildId: 1, _id: -1 } } as const;

/** The import that began last in a guild, or whose undo did; null if there was none within a month. */
export async function latestImport(guildId: string): Promise<ImportDetails | null> {
  const [latest, ...earlier] = await PeopleImports.find({ guildId }, { ...newestFirst, limit: recentImports });
  if (latest === undefined) return null;
  const undone = earlier.filter(({ undo }) => undo !== undefined);
  return detailsOf(undone.reduce((last, one) => (touchedAt(one) > touchedAt(last) ? one : last), latest));
}

/** A guild's latest import that brought people and was not undone; null if there was none within a month. */
export async function latestInForce(guildId: string): Promise<PeopleImport | null> {
  const inForce = { guildId, state: 'completed' as const, undo: trusted({ $exists: false }) };
  const [found] = await PeopleImports.find(inForce, { ...newestFirst, limit: 1 });
  return found ?? null;
}

const touchedAt = ({ createdAt, undo }: PeopleImport): Date => undo?.startedAt ?? createdAt;

export async function detailsOf(found: PeopleImport): Promise<ImportDetails> {
  const { _id: importId, guildId } = found;
  const listed = { guildId, importId, problem: trusted({ $exists: true }) };
  const [problems, undo] = await Promise.all([
    ImportRows.find(listed, { limit: shownProblems, hint: byImport }),
    progressOfUndo(found),
  ]);
  return { found, problems, undo };
}

/** Ends a guild's open import, or the named one; accounts imported so far stay. @throws NotFound `import_not_found`. */
export async function cancelImport(guild: Guild, actor: Actor, importId?: string): Promise<PeopleImport> {
  const which = importId === undefined ? {} : { _id: importId };
  const open = await PeopleImports.findOne({ ...which, guildId: guild._id, ...underWay });
  const ended = open && (await importEnding(open, actor, 'cancelled'));
  if (!ended) throw new NotFound('import_not_found', 'No import is running in this server.');
  return ended;
}

const notOpen = { open: trusted({ $exists: false }) };

/**
 * Begins to take back all that an import has given and that is still as it was given; a job does it. @throws NotFound
 * `import_not_found`, Conflict `import_running` while an import or undo runs, `import_not_undoable` after its day or a
 * second time, Forbidden `guild_suspended`, ChatPlatformUnavailable.
 */
export async function undoPeopleImport(guild: Guild, actor: Actor, importId: string): Promise<PeopleImport> {
  if (guild.state === 'suspended') throw guildSuspended(guild);
  const which = { _id: importId, guildId: guild._id };
  const found = await PeopleImports.findOne(which);
  if (found === null) throw new NotFound('import_not_found', 'There is no such import in this server.');
  if (found.open === true) throw importRunning();
  const { kind, id, name } = actor;
  const startedAt = clock.now();
  const undo = { actor: { kind, id, name }, by: await voucherOf(guild._id, actor), startedAt };
  const entry = newEntry({
    ...{ guildId: guild._id, actor, action: 'people.import_undone' },
    target: { kind: 'people-import', id: importId },
  });
  const still = { ...notOpen, undo: trusted({ $exists: false }), undoableUntil: trusted({ $gt: startedAt }) };
  const begun = await PeopleImports.update(
    { ...which, ...still },
    { $set: { open: true, undo }, ...push(entry) },
  ).catch((error: unknown) => {
    throw isDuplicateKey(error) ? importRunning() : error;
  });
  if (begun === null) throw notUndoable();
  await enterLog(entry);
  wakeImport(importId);
  return begun;
}

const notUndoable = (): Conflict =>
  new Conflict('import_not_undoable', "This import can't be undone: its day is over, or it was undone already.");

export async function purgeImports(now: Date): Promise<void> {
  await forgetPairs(now);
  await forgetUnbegun(now);
  const old = { finishedAt: trusted({ $lt: new Date(now.getTime() - keptMs) }) };
  const ids = await PeopleImports.acrossGuilds.distinct('_id', old);
  if (ids.length === 0) return;
  await ImportRows.acrossGuilds.deleteMany({ importId: trusted({ $in: ids }) });
  await PeopleImports.acrossGuilds.deleteMany({ _id: trusted({ $in: ids }) });
}

/** Removes the pairs whose import was never stored, since its start was killed. An id begins with its time. */
async function forgetUnbegun(now: Date): Promise<void> {
  const before = newId('pim', new Date(now.getTime() - keptMs));
  const stored = await PeopleImports.acrossGuilds.distinct('_id', { _id: trusted({ $lt: before }) });
  await ImportRows.acrossGuilds.deleteMany({ importId: trusted({ $lt: before, $nin: stored }) }).hint(byImport);
}

/** Removes the pairs that only an undo would need, once its time is over and none is under way. */
async function forgetPairs(now: Date): Promise<void> {
  const over = { finishedAt: trusted({ $gt: new Date(0) }), undoableUntil: trusted({ $lte: now }) };
  const ids = await PeopleImports.acrossGuilds.distinct('_id', { ...over, ...notOpen });
  if (ids.length === 0) return;
  const needed = { problem: trusted({ $exists: false }), undone: trusted({ $nin: [...leftAs] }) };
  await ImportRows.acrossGuilds.deleteMany({ importId: trusted({ $in: ids }), ...needed });
  await PeopleImports.acrossGuilds.updateMany({ _id: trusted({ $in: ids }) }, { $unset: { undoableUntil: 1 } });
}

/** The imports in the last month that a person began. */
export function importsBegunBy(chatUserId: string): AsyncIterable<PeopleImport> {
  const theirs = { 'actor.kind': 'user' as const, 'actor.id': chatUserId };
  return PeopleImports.acrossGuilds.find(theirs).sort({ _id: 1 }).lean<PeopleImport>().cursor();
}

/** The pairs that the last month's imports name for a person. */
export function importedPairsOf(chatUserId: string): AsyncIterable<ImportRow> {
  return ImportRows.acrossGuilds.find({ chatUserId }).sort({ _id: 1 }).lean<ImportRow>().cursor();
}

/** One account of a person is erased: no import, and no list that waits for its confirmation, names it any more. */
export async function eraseGameFromImports(chatUserId: string, gameUserId: string): Promise<void> {
  await ImportRows.acrossGuilds.deleteMany({ chatUserId, gameUserId });
  await dropDraftsNaming('people', gameUserId);
  await eraseRefusedImports(chatUserId, gameUserId);
}

/** A person is erased: no import, and no list that waits for its confirmation, names them any more, and those that they began are kept without their name. */
export async function eraseFromImports({ chatUserId, pseudonym }: ErasedPerson): Promise<void> {
  const begun = { 'actor.kind': 'user' as const, 'actor.id': chatUserId };
  await PeopleImports.acrossGuilds.updateMany(begun, { $set: { 'actor.id': pseudonym, 'actor.name': pseudonym } });
  const undone = { 'undo.actor.kind': 'user' as const, 'undo.actor.id': chatUserId };
  const nameless = { 'undo.actor.id': pseudonym, 'undo.actor.name': pseudonym };
  await PeopleImports.acrossGuilds.updateMany(undone, { $set: nameless });
  await ImportRows.acrossGuilds.deleteMany({ chatUserId });
  await dropDraftsNaming('people', chatUserId);
  await eraseRefusedImports(chatUserId);
}
