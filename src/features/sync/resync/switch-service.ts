import { trusted } from 'mongoose';
import type { Actor, ErasedPerson } from '../../../core/actors/actor.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { changeSettings } from '../../../core/settings/settings-change.js';
import { readSettings } from '../../../core/settings/settings-service.js';
import { clock } from '../../../lib/clock.js';
import { Conflict } from '../../../lib/errors.js';
import { dayMs } from '../../../lib/time.js';
import { Plans, type StoredPlan } from '../plan/plan-model.js';
import { type BeforeNew, cancelResync, startResync } from './resync-service.js';
import { byState, type Switch, SwitchedMembers, Switches } from './switch-model.js';
import { wakeUndo } from './switch-undo.js';

/** The time within which a switch can be undone. */
const undoableMs = 7 * dayMs;

export interface SwitchStatus {
  switched: Switch;
  undoableUntil: Date;
  made: number;
  undone: number;
  /** Members that were changed since, or have left. */
  kept: string[];
}

const mostKept = 1_000;

/**
 * Applies exactly the changes of a preview, and lets the guild enforce from then on; the removal limit applies
 * (OBS-12). Throws Conflict `not_observing`, `resync_running`, and as `readPlan` and `startResync` do.
 */
export async function goLive(
  guild: Guild,
  actor: Actor,
  readPlan: () => Promise<StoredPlan>,
  beforeNew: BeforeNew,
): Promise<StoredPlan> {
  if ((await readSettings(guild._id)).mode !== 'observe') {
    throw new Conflict('not_observing', "This server isn't only observing: Rolelink already gives out its roles.");
  }
  const preview = await readPlan();
  const { job, isNew } = await startResync(guild, actor, { preview, goesLive: true }, beforeNew);
  if (isNew) return job;
  throw new Conflict('resync_running', `Another resync is in progress (${job._id}); the preview wasn't applied.`);
}

/** The latest switch of a guild within seven days; null if there was none. */
export async function latestSwitch({ _id: guildId }: Pick<Guild, '_id'>): Promise<SwitchStatus | null> {
  const since = trusted({ $gt: new Date(clock.epochMs() - undoableMs) });
  const [switched] = await Switches.find(
    { guildId, at: since },
    { sort: { at: -1 }, limit: 1, hint: { guildId: 1, at: -1 } },
  );
  if (switched === undefined) return null;
  const count = (state: 'made' | 'undone') =>
    SwitchedMembers.count({ guildId, switchId: switched._id, state }, { hint: byState });
  const [made, undone, kept] = await Promise.all([
    count('made'),
    count('undone'),
    SwitchedMembers.find(
      { guildId, switchId: switched._id, state: 'kept' },
      { sort: { chatUserId: 1 }, limit: mostKept, hint: byState },
    ),
  ]);
  const undoableUntil = new Date(switched.at.getTime() + undoableMs);
  return { switched, undoableUntil, made, undone, kept: kept.map(({ chatUserId }) => chatUserId) };
}

/**
 * Returns the guild to observe mode and reverts its latest switch, except for members with changes since. Throws
 * Conflict `not_switched`.
 */
export async function undoSwitch(guild: Guild, actor: Actor): Promise<SwitchStatus> {
  const latest = await latestSwitch(guild);
  if (latest === null || latest.switched.state !== 'made') throw notSwitched();
  const { _id, guildId } = latest.switched;
  await changeSettings(guild, actor, (settings) => ({ ...settings, mode: 'observe' }));
  const running = await Plans.findOne({ _id, guildId, open: true });
  if (running !== null) await cancelResync(guild, actor, _id).catch(unlessFinished);
  const undoneBy = { kind: actor.kind, id: actor.id, name: actor.name };
  const begun = await Switches.update({ _id, guildId, state: 'made' }, { $set: { state: 'undoing', undoneBy } });
  if (begun === null) throw notSwitched();
  wakeUndo(_id);
  return { ...latest, switched: begun };
}

const notSwitched = (): Conflict =>
  new Conflict(
    'not_switched',
    'There is no switch to undo: none was made in the last seven days, or it was already undone.',
  );

export async function purgeSwitches(now: Date): Promise<void> {
  const old = { at: trusted({ $lte: new Date(now.getTime() - undoableMs) }) };
  await Switches.acrossGuilds.deleteMany(old);
  await SwitchedMembers.acrossGuilds.deleteMany(old);
}

/** Erases a person: nothing is reverted for them, and their undos lose the name. */
export async function eraseFromSwitches({ chatUserId, pseudonym }: ErasedPerson): Promise<void> {
  await SwitchedMembers.acrossGuilds.deleteMany({ chatUserId });
  await Switches.acrossGuilds.updateMany(
    { 'undoneBy.kind': 'user', 'undoneBy.id': chatUserId },
    { $set: { 'undoneBy.id': pseudonym, 'undoneBy.name': pseudonym } },
  );
}

/** Ignores that the resync has finished since it was read: there is nothing to cancel. */
function unlessFinished(error: unknown): void {
  if (!(error instanceof Conflict && error.code === 'resync_finished')) throw error;
}
