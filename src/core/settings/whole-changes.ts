import { clock } from '../../lib/clock.js';
import { AppError, Conflict } from '../../lib/errors.js';
import { logger } from '../../lib/logger.js';
import { Signal } from '../../lib/signal.js';
import { minuteMs } from '../../lib/time.js';
import { withLease } from '../../platforms/database/lease.js';
import { standing } from '../../platforms/jobs/standing.js';
import type { Actor } from '../actors/actor.js';
import { findPresentGuild, type Guild } from '../guilds/guild-service.js';
import { beginChange, endChange, findBegunChanges, readBegunChange, type WholeChange } from './settings-service.js';

// A configuration, an import and a setup take several writes. Until all are done, the stored rules are neither the old
// nor the new ones, so syncs must wait.

type Kind = WholeChange['kind'];

/** Time after which a change that can't be completed is taken back (CONF-40). */
const completedWithinMs = 15 * minuteMs;

const isLate = ({ begunAt }: WholeChange): boolean => clock.epochMs() - begunAt.getTime() >= completedWithinMs;

/** Completes a change after its process was killed; `restore` reverts it, if this kind of change allows that. */
interface Completion {
  finish(guild: Guild, actor: Actor, wish: unknown): Promise<unknown>;
  restore?(guild: Guild, wish: unknown): Promise<unknown>;
}
const completions = new Map<Kind, Completion>();

const rulesWhole = new Signal<[guildId: string], Promise<void>>();

export function completeChangesOf(kind: Kind, completion: Completion): void {
  completions.set(kind, completion);
}

export const onRulesWhole = rulesWhole.on;

/** Makes a change's writes, after storing the change itself. */
type MakeChange = <T>(change: Pick<WholeChange, 'kind' | 'by' | 'wish'>, writes: () => Promise<T>) => Promise<T>;

/**
 * Changes a guild's rules as a whole. `work` checks everything and only then calls `make`. A guild has one such change
 * at a time; a killed process's change is completed first. If a write is refused, earlier writes are reverted where
 * possible. After another failure, the change is completed within a minute. Throws as `work` does, and Conflict `busy`.
 */
export async function inWholeChange<T>(guild: Guild, work: (make: MakeChange) => Promise<T>): Promise<T> {
  return withLease(`config:${guild._id}`, async () => {
    const left = await readBegunChange(guild._id);
    if (left !== null) await complete(guild, left).catch((error: unknown) => replaceIfLate(guild, left, error));
    return work((change, writes) => make(guild, { ...change, begunAt: clock.now() }, writes));
  });
}

/** A change that could not even be taken back in its time gives way to the next. Throws the error of a younger one. */
function replaceIfLate({ _id: guildId }: Guild, left: WholeChange, err: unknown): void {
  if (!isLate(left)) throw err;
  logger.error({ err, guildId, kind: left.kind }, 'rule change given up for the next one');
}

async function make<T>(guild: Guild, change: WholeChange, writes: () => Promise<T>): Promise<T> {
  await beginChange(guild._id, change);
  try {
    const made = await writes();
    await end(guild._id);
    return made;
  } catch (error) {
    if (isRefusal(error)) await restore(guild, change);
    throw error;
  }
}

standing({
  name: 'complete-rule-changes',
  everyMs: minuteMs,
  atStart: true,
  run: (signal) => completeWholeChanges(signal),
});

/** Completes changes interrupted by killed processes or failures. */
export async function completeWholeChanges(signal: AbortSignal): Promise<void> {
  for (const guildId of await findBegunChanges()) {
    if (signal.aborted) return;
    await withLease(`config:${guildId}`, () => completeLeft(guildId), { waitMs: 100 }).catch((error: unknown) => {
      // The change's own process is still running, or a platform is unreachable.
      const level = error instanceof AppError ? 'info' : 'error';
      logger[level]({ err: error, guildId }, 'change of rules left for later');
    });
  }
}

async function completeLeft(guildId: string): Promise<void> {
  const [guild, change] = await Promise.all([findPresentGuild(guildId), readBegunChange(guildId)]);
  if (change === null) return;
  if (guild === null) await end(guildId);
  else await complete(guild, change);
}

/** Runs under the lease. Throws any error except a refusal, so that it is retried; after a while it is taken back. */
async function complete(guild: Guild, change: WholeChange): Promise<void> {
  const { kind, begunAt } = change;
  try {
    await completions.get(kind)?.finish(guild, change.by, JSON.parse(change.wish));
    await end(guild._id);
  } catch (error) {
    const late = isLate(change);
    if (!isRefusal(error) && !late) throw error;
    logger[late ? 'error' : 'warn']({ err: error, guildId: guild._id, kind, begunAt }, 'rule change not completed');
    await restore(guild, change);
  }
}

async function restore(guild: Guild, change: WholeChange): Promise<void> {
  try {
    await completions.get(change.kind)?.restore?.(guild, JSON.parse(change.wish));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    logger.warn({ err: error, guildId: guild._id, kind: change.kind }, 'rule change not rolled back');
  }
  await end(guild._id);
}

async function end(guildId: string): Promise<void> {
  await endChange(guildId);
  await Promise.all(rulesWhole.emit(guildId));
}

/** An error that each retry would repeat. */
const isRefusal = (error: unknown): boolean =>
  error instanceof AppError && error.kind !== 'unavailable' && error.code !== 'busy' && error.code !== 'rate_limited';

/** The rules are being changed: plans based on them wait. */
export class RulesInChange extends Conflict {
  constructor() {
    super('busy', 'The rules of this server are being changed right now. Try again in a moment.');
  }
}
