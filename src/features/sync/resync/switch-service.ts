import { trusted } from 'mongoose';
import type { Actor } from '../../../core/actors/actor.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { changeSettings } from '../../../core/settings/settings-change.js';
import { readSettings } from '../../../core/settings/settings-service.js';
import { clock } from '../../../lib/clock.js';
import { Conflict } from '../../../lib/errors.js';
import { isDuplicateKey } from '../../../platforms/database/duplicate-key.js';
import { requireRolesBelow } from '../../mappings/roles-below.js';
import { Plans, type StoredPlan } from '../plan/plan-model.js';
import { byMember, type PlannedChange, PlannedChanges } from '../plan/planned-change-model.js';
import { type BeforeNew, cancelResync, startResync } from './resync-service.js';
import { undoableMs } from './switch-making.js';
import { wakeUndo } from './switch-undo.js';
import { draftUndo, undoIdOf } from './undo-plan.js';

export interface SwitchStatus {
  switched: StoredPlan & { liveAt: Date };
  /** Null: it is not undone. */
  undo: StoredPlan | null;
  undoableUntil: Date;
  /** How many members it changed that are not put back. */
  changed: number;
  undone: number;
  /** Members that were changed since, or have left. */
  kept: string[];
  /** Members that Discord refuses to put back, wholly or in part. */
  refused: PlannedChange[];
}

const mostListed = 1_000;

/**
 * Applies exactly a preview's changes, and lets the guild enforce from then on; the removal limit applies (OBS-12).
 * Throws Conflict `not_observing`, `role_unmanageable`, `resync_running`, and as `readPlan` and `startResync` do.
 */
export async function goLive(
  guild: Guild,
  actor: Actor,
  readPlan: () => Promise<StoredPlan>,
  beforeNew?: BeforeNew,
): Promise<StoredPlan> {
  if ((await readSettings(guild._id)).mode !== 'observe') {
    throw new Conflict('not_observing', "This server isn't only observing: Rolelink already gives out its roles.");
  }
  await requireRolesBelow(guild._id);
  const preview = await readPlan();
  const { job, isNew } = await startResync(guild, actor, { preview, goesLive: true }, beforeNew);
  if (isNew) return job;
  throw new Conflict('resync_running', `Another resync is in progress (${job._id}); the preview wasn't applied.`);
}

/** A guild's latest switch within seven days; null if there was none. */
export async function latestSwitch({ _id: guildId }: Pick<Guild, '_id'>): Promise<SwitchStatus | null> {
  const since = trusted({ $gt: new Date(clock.epochMs() - undoableMs) });
  const newest = { sort: { liveAt: -1 }, limit: 1, hint: { guildId: 1, liveAt: -1 } } as const;
  const [switched] = await Plans.find({ guildId, liveAt: since }, newest);
  if (switched?.liveAt === undefined) return null;
  const { _id, liveAt } = switched;
  const planId = undoIdOf(_id);
  const listed = (state: 'skipped' | 'failed') =>
    PlannedChanges.find({ guildId, planId, state }, { sort: { chatUserId: 1 }, limit: mostListed, hint: byMember });
  const [undo, made, undone, left, kept, refused] = await Promise.all([
    Plans.findOne({ _id: planId, guildId }),
    PlannedChanges.count({ guildId, planId: _id, made: trusted({ $exists: true }) }, { hint: byMember }),
    PlannedChanges.count({ guildId, planId, state: 'done' }, { hint: byMember }),
    PlannedChanges.count({ guildId, planId, state: 'skipped' }, { hint: byMember }),
    listed('skipped'),
    listed('failed'),
  ]);
  const undoableUntil = new Date(liveAt.getTime() + undoableMs);
  const keptIds = kept.map(({ chatUserId }) => chatUserId);
  return {
    switched: { ...switched, liveAt },
    undo,
    undoableUntil,
    changed: made - undone - left,
    undone,
    kept: keptIds,
    refused,
  };
}

/**
 * Returns the guild to observe mode and reverts its latest switch, except for members with changes since. Throws
 * Conflict `not_switched`.
 */
export async function undoSwitch(guild: Guild, actor: Actor): Promise<SwitchStatus> {
  const latest = await latestSwitch(guild);
  if (latest === null || latest.undo !== null) throw notSwitched();
  const { _id, guildId, open } = latest.switched;
  await changeSettings(guild, actor, (settings) => ({ ...settings, mode: 'observe' }));
  if (open === true) await cancelResync(guild, actor, _id).catch(unlessFinished);
  const undo = draftUndo(guild, actor, _id);
  try {
    await Plans.insert({ ...undo, guildId });
  } catch (error) {
    if (isDuplicateKey(error)) throw notSwitched();
    throw error;
  }
  wakeUndo(undo._id);
  return { ...latest, undo };
}

const notSwitched = (): Conflict =>
  new Conflict(
    'not_switched',
    'There is no switch to undo: none was made in the last seven days, or it was already undone.',
  );

/** Ignores that the resync has finished since it was read: there is nothing to cancel. */
function unlessFinished(error: unknown): void {
  if (!(error instanceof Conflict && error.code === 'resync_finished')) throw error;
}
