import { randomUUID } from 'node:crypto';
import { config } from '../../config/config.js';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { ConfigError } from '../../lib/start-error.js';
import { minuteMs, secondMs } from '../../lib/time.js';
import type { StoredDocument } from '../database/data-replacement.js';
import { latestVersion } from '../database/data-version.js';
import { isDuplicateKey } from '../database/duplicate-key.js';
import { serviceState } from '../database/service-state.js';
import { standing } from '../jobs/standing.js';

/** How often a process renews its row. */
const renewEveryMs = 30 * secondMs;
/** A row counts for this long, so a process that was killed is gone after it. Machines' clocks differ by less. */
const freshMs = 2 * minuteMs;
/** A restart takes less: a shorter gap is no finding. */
const lastingMs = 5 * minuteMs;

interface ShardRange {
  first: number;
  last: number;
  total: number;
}

/** One process at work, as the others see it. A restart with the same range takes the row over. */
interface ShardRow extends ShardRange {
  /** `shards 0-7/16`. */
  _id: string;
  process: string;
  seenAt: Date;
  /** The version of stored data that it knows. Rows of 0.1.0 lack it. */
  dataVersion?: number;
}

/** Whether a stored document shows a process at work. A backup's processes are not at work. */
export const isProcessRow = ({ collection, document }: StoredDocument): boolean =>
  collection === 'service_state' && /^shards /.test(String(document._id));

const thisProcess = randomUUID();
const rows = () => serviceState<ShardRow>();
const wordsOf = ({ first, last, total }: ShardRange): string => `${first}-${last}/${total}`;
const idOf = (range: ShardRange): string => `shards ${wordsOf(range)}`;

/** The range whose row this process renews. */
let held: ShardRange | undefined;
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
 * Takes this process's shards, from a process with the same range too: a rolling restart. Throws ConfigError if another
 * process has some, or another total (ENV-89).
 */
export async function claimShards(): Promise<void> {
  const range = config().shards ?? { first: 0, last: 0, total: 1 };
  held = range;
  await store(range, { _id: idOf(range) });
  const other = (await readFresh()).find((row) => row._id !== idOf(range) && conflicts(row, range));
  if (other === undefined) return;
  await releaseShards();
  throw new ConfigError(conflictInWords(range, other));
}

const conflicts = (one: ShardRange, other: ShardRange): boolean =>
  one.total !== other.total || (one.first <= other.last && other.first <= one.last);

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

async function store(range: ShardRange, where: object): Promise<void> {
  const seen = { ...range, process: thisProcess, seenAt: clock.now(), dataVersion: latestVersion() };
  await rows().updateOne(where, { $set: seen }, { upsert: true });
}

/** A process that took the row over and ended at once, as with a port in use, leaves it to this one. */
async function renew(range: ShardRange): Promise<void> {
  const mine = { _id: idOf(range), $or: [{ process: thisProcess }, { seenAt: { $not: fresh() } }] };
  await store(range, mine).catch((error: unknown) => {
    if (!isDuplicateKey(error)) throw error;
    logger.warn({ shards: wordsOf(range) }, 'another process has taken over these shards');
  });
}

/** The shards that no process has now, such as `8-15/16`; none where no process is known. Reads the database. */
export async function missingShards(): Promise<string[]> {
  return missingIn(await readFresh());
}

/** `ranges` are sorted by their first shards. */
export function missingIn(ranges: readonly ShardRange[]): string[] {
  const total = ranges[0]?.total ?? 0;
  const missing: string[] = [];
  let next = 0;
  for (const { first, last } of [...ranges, { first: total, last: total }]) {
    if (first > next) missing.push(wordsOf({ first: next, last: first - 1, total }));
    next = Math.max(next, last + 1);
  }
  return missing;
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
