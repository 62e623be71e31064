import { randomUUID } from 'node:crypto';
import { config } from '../../config/config.js';
import { clock } from '../../lib/clock.js';
import { foreground } from '../../lib/foreground.js';
import { logger } from '../../lib/logger.js';
import { ConfigError } from '../../lib/start-error.js';
import { minuteMs, secondMs } from '../../lib/time.js';
import type { StoredDocument } from '../database/data-replacement.js';
import { latestVersion } from '../database/data-version.js';
import { isDuplicateKey } from '../database/duplicate-key.js';
import { serviceState } from '../database/service-state.js';
import { standing } from '../jobs/standing.js';
import { isGivenUp, keepAll, leaveTo, ownShareEveryMs, type ShardRange } from './process-share.js';
import { forgetGuilds } from './shard-guilds.js';

/** How often a process renews its row. */
const renewEveryMs = 30 * secondMs;
/** A row counts for this long, so a process that was killed is gone after it. Machines' clocks differ by less. */
const freshMs = 2 * minuteMs;
/** A person waits no longer for an answer (API-10). */
const pressesWithinMs = 15 * secondMs;
/** A restart takes less: a shorter gap is no finding. */
const lastingMs = 5 * minuteMs;

/** One process at work, as the others see it. A restart with the same range takes the row over. */
interface ShardRow extends ShardRange {
  /** `shards 0-7/16`. */
  _id: string;
  process: string;
  seenAt: Date;
  /** The version of stored data that it knows. Rows of 0.1.0 lack it. */
  dataVersion?: number;
  /** Counts the claims of all processes: the newer one has the higher number. A Rolelink without it gives nothing up. */
  turn?: number;
  /** Connected, so that older processes leave it their shards. */
  ready?: boolean;
  /** Shards that newer processes have taken over. */
  given?: number[];
}

/** Whether a stored document shows a process at work. A backup's processes are not at work. */
export const isProcessRow = ({ collection, document }: StoredDocument): boolean =>
  collection === 'service_state' && /^shards /.test(String(document._id));

const thisProcess = randomUUID();
const rows = () => serviceState<ShardRow>();
const wordsOf = ({ first, last, total }: ShardRange): string => `${first}-${last}/${total}`;
const idOf = (range: ShardRange): string => `shards ${wordsOf(range)}`;

/** The row that this process renews. */
let held: (ShardRange & Required<Pick<ShardRow, 'turn' | 'ready' | 'given'>>) | undefined;
let gap: { missing: string[]; sinceMs: number } | undefined;

/** A clock that was set back leaves rows from the future behind. */
const fresh = () => {
  const now = clock.epochMs();
  return { $gte: new Date(now - freshMs), $lte: new Date(now + freshMs) };
};

/** By their first shard. A few rows, so they are sorted here and need no index. */
const readFresh = async (): Promise<ShardRow[]> => {
  const found = await rows()
    .find({ _id: /^shards /, seenAt: fresh() })
    .toArray();
  return found.toSorted((one, other) => one.first - other.first);
};

/**
 * Takes this process's shards. Other processes leave them to it once it is ready: one with the same range, one that has
 * more, and some that have fewer. Throws ConfigError if another process has only a part of them beside others, or
 * another total (ENV-89, ENV-95).
 */
export async function claimShards(): Promise<void> {
  const range = config().shards ?? { first: 0, last: 0, total: 1 };
  keepAll();
  held = { ...range, turn: await nextTurn(), ready: false, given: [] };
  await store(held, { _id: idOf(range) });
  const other = (await readFresh()).find((row) => row._id !== idOf(range) && conflicts(range, row));
  if (other === undefined) return;
  await releaseShards();
  throw new ConfigError(conflictInWords(range, other));
}

/** Counts in the database, since the clocks of machines differ. */
async function nextTurn(): Promise<number> {
  const claims = serviceState<{ _id: string; turn: number }>();
  const options = { upsert: true, returnDocument: 'after' } as const;
  return (await claims.findOneAndUpdate({ _id: 'claims of shards' }, { $inc: { turn: 1 } }, options))?.turn ?? 0;
}

const numbersOf = ({ first, last }: ShardRange): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
const shardsOf = (row: ShardRange & Pick<ShardRow, 'given'>): number[] =>
  numbersOf(row).filter((shard) => row.given?.includes(shard) !== true);

/** A hand-over needs a whole: of the new range, of what the other has, or of all shards with another total. */
function conflicts(range: ShardRange, other: ShardRow): boolean {
  if (range.total !== other.total) return config().shards === undefined || !isWhole(range) || !givesUp(other);
  const theirs = shardsOf(other);
  const shared = numbersOf(range).filter((shard) => theirs.includes(shard)).length;
  if (shared === 0) return false;
  return !givesUp(other) || (shared < theirs.length && shared < numbersOf(range).length);
}

const isWhole = ({ first, last, total }: ShardRange): boolean => first === 0 && last === total - 1;
const givesUp = ({ turn }: ShardRow): boolean => turn !== undefined;

function conflictInWords(own: ShardRange, other: ShardRow): string {
  const unset = config().shards === undefined ? ', which an empty SHARDS means,' : '';
  const seconds = Math.max(0, Math.round((clock.epochMs() - other.seenAt.getTime()) / secondMs));
  const fault = own.total === other.total ? 'overlaps' : 'has another total than';
  return (
    `SHARDS=${wordsOf(own)}${unset} ${fault} the SHARDS=${wordsOf(other)} of another process, seen ${seconds} s ago: ` +
    `correct one of the two, or stop that process (a killed one counts for ${freshMs / secondMs} s).`
  );
}

/** The shards of processes at work that don't know this process's version of stored data, such as `8-15/16`. */
export async function shardsOfOlder(): Promise<string[]> {
  return (await readFresh()).filter(({ dataVersion = 0 }) => dataVersion < latestVersion()).map(wordsOf);
}

/** Says that this process is connected: older ones leave it their shards. */
export async function shardsReady(): Promise<void> {
  if (held === undefined) return;
  held.ready = true;
  await renew(held).catch((err: unknown) => logger.warn({ err }, 'older processes hear of this one within 30 s'));
}

let gaveUp: () => void = () => undefined;

/** Runs the listener when newer processes have taken over some of this process's servers. */
export function onShardsGivenUp(listener: () => void): void {
  gaveUp = listener;
}

/** Leaves shards to newer processes that are ready with them, for good (ENV-95). */
export async function handOverShards(): Promise<void> {
  if (held === undefined) return;
  const { turn, total, given } = held;
  const kept = numbersOf(held).filter((shard) => !given.includes(shard));
  const taken = (row: ShardRow) =>
    row.total === total ? kept.filter((shard) => numbersOf(row).includes(shard)) : kept;
  const isNewer = (row: ShardRow) => row.process !== thisProcess && row.ready === true && (row.turn ?? 0) > turn;
  const takers = (await readFresh()).filter((row) => isNewer(row) && taken(row).length > 0);
  if (takers.length === 0) return;
  leaveTo(takers);
  forgetGuilds(({ id }) => isGivenUp(id));
  gaveUp();
  held.given = [...given, ...new Set(takers.flatMap(taken))];
  const shards = takers.map(wordsOf).join(', ');
  if (held.given.length < numbersOf(held).length) {
    await renew(held);
    logger.info({ shards }, 'shards handed over');
    return;
  }
  await releaseShards();
  // The last presses are still being answered.
  await foreground.yield(pressesWithinMs);
  logger.warn({ shards }, 'all shards handed over: this process only answers requests now, so stop it');
}

/** Gives this process's shards free, for a start with any range. A row that stays counts for two minutes. */
export async function releaseShards(): Promise<void> {
  if (held === undefined) return;
  const own = { _id: idOf(held), process: thisProcess };
  held = undefined;
  gap = undefined;
  await rows()
    .deleteOne(own)
    .catch((err: unknown) => logger.debug({ err }, 'shards not released'));
}

async function store(row: NonNullable<typeof held>, where: object): Promise<void> {
  const seen = { ...row, process: thisProcess, seenAt: clock.now(), dataVersion: latestVersion() };
  await rows().updateOne(where, { $set: seen }, { upsert: true });
}

/** A process that took the row over and ended at once, as with a port in use, leaves it to this one. */
async function renew(row: NonNullable<typeof held>): Promise<void> {
  const mine = { _id: idOf(row), $or: [{ process: thisProcess }, { seenAt: { $not: fresh() } }] };
  await store(row, mine).catch((error: unknown) => {
    if (!isDuplicateKey(error)) throw error;
    logger.warn({ shards: wordsOf(row) }, 'another process has taken over these shards');
  });
}

/** The shards that no process has now, such as `8-15/16`; none where no process is known. Reads the database. */
export async function missingShards(): Promise<string[]> {
  return missingIn(await readFresh());
}

/** `rows` are of one total, except while a total changes: the first row's counts then. */
export function missingIn(rows: readonly (ShardRange & Pick<ShardRow, 'given'>)[]): string[] {
  const total = rows[0]?.total ?? 0;
  const had = new Set(rows.filter((row) => row.total === total).flatMap((row) => shardsOf(row)));
  const missing = numbersOf({ first: 0, last: total - 1, total }).filter((shard) => !had.has(shard));
  const isFirst = (shard: number, at: number) => missing[at - 1] !== shard - 1;
  return missing.filter(isFirst).map((first) => {
    let last = first;
    while (missing.includes(last + 1)) last += 1;
    return wordsOf({ first, last, total });
  });
}

/** The shards that have been without a process for five minutes, as this process saw it. */
export const lastingGap = (): string[] =>
  gap !== undefined && clock.monotonicMs() - gap.sinceMs >= lastingMs ? gap.missing : [];

/** Renews this process's row, and notes the gap. An embedded database has one process, and no row. */
export async function noteShards(): Promise<void> {
  if (held === undefined) return;
  await renew(held);
  const missing = await missingShards();
  gap = missing.length === 0 ? undefined : { missing, sinceMs: gap?.sinceMs ?? clock.monotonicMs() };
}

standing({ name: 'note-shards', everyMs: renewEveryMs, atStart: false, inEachProcess: true, run: noteShards });
standing({
  name: 'hand-over-shards',
  everyMs: ownShareEveryMs,
  atStart: false,
  inEachProcess: true,
  run: handOverShards,
});
