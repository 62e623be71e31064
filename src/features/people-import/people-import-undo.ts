import { trusted } from 'mongoose';
import type { Actor } from '../../core/actors/actor.js';
import { reachOfAuthor } from '../../core/actors/reach.js';
import { findPresentGuild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { AppError } from '../../lib/errors.js';
import { logger } from '../../lib/logger.js';
import { dayMs, secondMs } from '../../lib/time.js';
import type { Lease } from '../../platforms/database/lease.js';
import { type GivenByImport, lookAtImported, takeBackImported } from '../accounts/import-undo.js';
import {
  byImport,
  type ImportRow,
  ImportRows,
  leftAs,
  type PeopleImport,
  PeopleImports,
  runOf,
} from './people-import-model.js';

const pairsPerStep = 100;
/** When to try people again for whom a platform did not answer. */
const againMs = 30 * secondMs;
/** People who can't be taken back for this long, each for a passing reason, are given up. */
const triedForMs = dayMs;

type Undoing = PeopleImport & { undo: NonNullable<PeopleImport['undo']> };
type Reach = (chatUserId: string) => Promise<boolean>;

/**
 * Takes back all that an import has given, person by person, and stores each result. One that fails for a passing reason
 * stops nobody else. Returns the time to go on; null once it has ended, which it does after a day at the latest. Throws
 * ChatPlatformUnavailable, Conflict `lease_lost`.
 */
export async function undoImport(
  _id: string,
  guildId: string,
  { lease, signal }: { lease: Lease; signal: AbortSignal },
): Promise<Date | null> {
  const { fence } = lease;
  const open = { _id, guildId, open: true, undo: trusted({ $exists: true }), fence: trusted({ $lt: fence }) } as const;
  const found = await PeopleImports.update(open, { $set: { fence }, $unset: { waitsUntil: 1 } });
  if (found?.undo === undefined) return null;
  const undoing: Undoing = { ...found, undo: found.undo };
  const guild = await findPresentGuild(guildId);
  const isOver = guild === null || clock.epochMs() - undoing.undo.startedAt.getTime() >= triedForMs;
  if (isOver) {
    await ImportRows.acrossGuilds.updateMany(leftOf(undoing), { $set: { undone: 'failed' } }).hint(byImport);
  } else if (guild.state !== 'active' || !(await takeAllBack(undoing, lease, signal))) {
    return signal.aborted ? null : waitsUntil(undoing);
  }
  await endUndo(undoing);
  return null;
}

/** The pairs that an undo has not come to. */
const leftOf = ({ _id: importId, guildId }: PeopleImport) => ({
  ...{ guildId, importId, problem: trusted({ $exists: false }), undone: trusted({ $exists: false }) },
});

async function waitsUntil({ _id, guildId, fence }: PeopleImport): Promise<Date> {
  const until = new Date(clock.epochMs() + againMs);
  await PeopleImports.update({ _id, guildId, open: true, fence }, { $set: { waitsUntil: until } });
  return until;
}

/** Returns whether every pair has its result. */
async function takeAllBack(undoing: Undoing, lease: Lease, signal: AbortSignal): Promise<boolean> {
  const isInReach = await reachOfAuthor(undoing.guildId, undoing.undo.by);
  let isWhole = true;
  for (let after = ''; ; ) {
    const left = { ...leftOf(undoing), chatUserId: trusted({ $gt: after }) };
    const rows = await ImportRows.find(left, { sort: { chatUserId: 1 }, limit: pairsPerStep, hint: byImport });
    const last = rows.at(-1);
    if (last === undefined) return isWhole;
    after = last.chatUserId;
    const later = await namedLater(undoing, rows);
    for (const row of rows) {
      if (signal.aborted) return false;
      lease.requireHeld();
      const isDone = later.has(row.chatUserId)
        ? await note(row, 'imported_again')
        : await takeBack(undoing, row, isInReach);
      isWhole &&= isDone;
    }
  }
}

/** The people in these pairs that a later import has come to. */
async function namedLater({ _id, guildId }: PeopleImport, rows: readonly ImportRow[]): Promise<ReadonlySet<string>> {
  const chatUserId = trusted({ $in: rows.map((row) => row.chatUserId) });
  const given = { isDone: true as const, problem: trusted({ $exists: false }) };
  const again = { guildId, chatUserId, importId: trusted({ $gt: _id }), ...given };
  const found = await ImportRows.find(again, { hint: { chatUserId: 1 } });
  return new Set(found.map((row) => row.chatUserId));
}

/** Returns whether the pair has its result. A refusal to one person, or a fault, is tried again. */
async function takeBack(undoing: Undoing, row: ImportRow, isInReach: Reach): Promise<boolean> {
  try {
    return await takeOneBack(undoing, row, isInReach);
  } catch (err) {
    const { guildId, chatUserId } = row;
    logger[err instanceof AppError ? 'info' : 'error']({ err, guildId, chatUserId }, 'an import was not undone');
    return false;
  }
}

async function takeOneBack({ undo, ...found }: Undoing, row: ImportRow, isInReach: Reach) {
  const { guildId, chatUserId, gameUserId, nickname } = row;
  const run = { ...runOf(found), to: found.finishedAt ?? undo.startedAt };
  const given: GivenByImport = { guildId, chatUserId, gameUserId, nickname, ...run };
  const { obstacle, isLinked } = await lookAtImported(given);
  const actor: Actor = { ...undo.actor, role: null, platformAdmin: false };
  // A killed process had begun with it.
  if (obstacle === 'not_given' && row.undoing === true) {
    await takeBackImported(given, actor);
    return note(row, 'undone');
  }
  // A pair that this import did not make is not in its undo.
  if (obstacle === 'not_given') return note(row, row.made === true ? 'acted' : undefined);
  if (obstacle !== null) return note(row, obstacle);
  if (isLinked && !(await isInReach(chatUserId))) return note(row, 'above');
  await ImportRows.update({ _id: row._id, guildId }, { $set: { undoing: true } });
  return note(row, (await takeBackImported(given, actor)) ? 'undone' : 'acted');
}

/** Stores a result; without one, the pair is forgotten. */
async function note({ _id, guildId }: ImportRow, undone: ImportRow['undone']): Promise<true> {
  if (undone === undefined) await ImportRows.acrossGuilds.deleteOne({ _id });
  else await ImportRows.update({ _id, guildId }, { $set: { undone } });
  return true;
}

async function endUndo({ _id, guildId, fence }: PeopleImport): Promise<void> {
  const mine = { _id, guildId, open: true, fence } as const;
  const ended = { 'undo.finishedAt': clock.now(), 'undo.taken': await countTaken({ _id, guildId }) };
  await PeopleImports.update(mine, { $set: ended, $unset: { open: 1, waitsUntil: 1 } });
}

/** How many people an undo under way has taken back. */
const countTaken = ({ _id: importId, guildId }: Pick<PeopleImport, '_id' | 'guildId'>): Promise<number> =>
  ImportRows.count({ guildId, importId, undone: 'undone' }, { hint: byImport });

/** An undo's state: how many people it has taken back, and the first ones whom it left, with the reasons. */
export interface UndoProgress {
  taken: number;
  left: readonly ImportRow[];
}

const mostLeft = 100;

export async function progressOfUndo(found: PeopleImport): Promise<UndoProgress | null> {
  if (found.undo === undefined) return null;
  const { _id: importId, guildId, undo } = found;
  const kept = { guildId, importId, undone: trusted({ $in: [...leftAs] }) };
  const left = await ImportRows.find(kept, { sort: { chatUserId: 1 }, limit: mostLeft, hint: byImport });
  return { taken: undo.taken ?? (await countTaken(found)), left };
}
