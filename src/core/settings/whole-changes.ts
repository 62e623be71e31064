import { clock } from '../../lib/clock.js';
import { AppError, Conflict } from '../../lib/errors.js';
import { logger } from '../../lib/logger.js';
import { Signal } from '../../lib/signal.js';
import { withLease } from '../../platforms/database/lease.js';
import type { Actor } from '../actors/actor.js';
import { findPresentGuild, type Guild } from '../guilds/guild-service.js';
import { beginChange, endChange, findBegunChanges, readBegunChange, type WholeChange } from './settings-service.js';

// A configuration, an import and a setup are several writes. While they are made, the rules in the database are neither the
// old nor the new ones, and nobody may be synced by them.

type Kind = WholeChange['kind'];

/** Completes a change of a process that was killed; `restore` takes it back, where the kind of change can. */
interface Completion {
  finish(guild: Guild, actor: Actor, wish: unknown): Promise<unknown>;
  restore?(guild: Guild, wish: unknown): Promise<unknown>;
}
const completions = new Map<Kind, Completion>();

const rulesWhole = new Signal<[guildId: string], Promise<void>>();

/** Says how changes of this kind are completed after their process was killed. */
export function completeChangesOf(kind: Kind, completion: Completion): void {
  completions.set(kind, completion);
}

/** Calls `listener` when the rules of a guild are whole again. */
export const onRulesWhole = rulesWhole.on;

/** Makes the writes of a change, which is stored first. */
type MakeChange = <T>(change: Pick<WholeChange, 'kind' | 'by' | 'wish'>, writes: () => Promise<T>) => Promise<T>;

/**
 * Changes the rules of a guild as a whole. `work` checks everything, and only then calls `make`. One such change of a guild
 * runs at a time; one that a killed process began is completed first. When a write is refused, what was written is taken
 * back, where it can be. After another failure the change is completed within a minute. Throws as `work` does, and Conflict
 * `busy`.
 */
export async function inWholeChange<T>(guild: Guild, work: (make: MakeChange) => Promise<T>): Promise<T> {
  return withLease(`config:${guild._id}`, async () => {
    const left = await readBegunChange(guild._id);
    if (left !== null) await complete(guild, left);
    return work((change, writes) => make(guild, { ...change, begunAt: clock.now() }, writes));
  });
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

/** Completes the changes that killed processes have begun, or failures have interrupted. */
export async function completeWholeChanges(signal: AbortSignal): Promise<void> {
  for (const guildId of await findBegunChanges()) {
    if (signal.aborted) return;
    await withLease(`config:${guildId}`, () => completeLeft(guildId), { waitMs: 100 }).catch((error: unknown) => {
      // Its process is at it, or a platform is away.
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

/** Runs under the lease. Throws what is no refusal: then it is tried again. */
async function complete(guild: Guild, change: WholeChange): Promise<void> {
  try {
    await completions.get(change.kind)?.finish(guild, change.by, JSON.parse(change.wish));
    await end(guild._id);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    logger.warn({ err: error, guildId: guild._id, kind: change.kind }, 'change of rules can not be finished');
    await restore(guild, change);
  }
}

async function restore(guild: Guild, change: WholeChange): Promise<void> {
  try {
    await completions.get(change.kind)?.restore?.(guild, JSON.parse(change.wish));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    logger.warn({ err: error, guildId: guild._id, kind: change.kind }, 'change of rules can not be taken back');
  }
  await end(guild._id);
}

async function end(guildId: string): Promise<void> {
  await endChange(guildId);
  await Promise.all(rulesWhole.emit(guildId));
}

/** What will be refused again however often it is tried. */
const isRefusal = (error: unknown): boolean =>
  error instanceof AppError && error.kind !== 'unavailable' && error.code !== 'busy' && error.code !== 'rate_limited';

/** The rules are being changed: whatever is planned by them waits. */
export class RulesInChange extends Conflict {
  constructor() {
    super('busy', 'The rules of this server are being changed right now. Try again in a moment.');
  }
}
