import type { Actor } from '../../core/actors/actor.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import type { GuildSettings } from '../../core/settings/guild-settings.js';
import { AppError } from '../../lib/errors.js';
import type { StoredPlan } from '../sync/plan/plan-model.js';
import { startResync } from '../sync/resync/resync-service.js';
import type { PanelLook } from './panel-look.js';
import { applySetup, type SetupWish } from './setup-outcome.js';
import { endSetup, type Setup } from './setup-service.js';

interface Completion extends SetupWish {
  post: (channelId: string, look: PanelLook) => Promise<unknown>;
}

/** A setup that has been written. `refused`: why the panel could not be posted. */
export interface CompletedSetup {
  job: StoredPlan;
  /** False: an unfinished resync is the answer. */
  isNew: boolean;
  mode: GuildSettings['mode'];
  panel: 'posted' | 'none' | 'refused';
  refused: AppError | null;
}

/**
 * Writes a setup's result, posts its panel, starts a whole resync and ends the setup. An unwritable channel does not
 * undo the rest. Returns null and writes nothing if `key` belongs to another result. Throws as `applySetup`, `post` and
 * `startResync` do.
 */
export async function completeSetup(
  guild: Guild,
  actor: Actor,
  setup: Setup,
  { key, observe, post }: Completion,
): Promise<CompletedSetup | null> {
  const mode = await applySetup(guild, actor, setup, { key, observe });
  if (mode === null) return null;
  const panel = await postedPanel(setup, post);
  const { job, isNew } = await startResync(guild, actor);
  await endSetup(guild._id);
  return { job, isNew, mode, ...panel };
}

async function postedPanel(
  { channelId, panel: look }: Setup,
  post: Completion['post'],
): Promise<Pick<CompletedSetup, 'panel' | 'refused'>> {
  if (channelId === null) return { panel: 'none', refused: null };
  try {
    await post(channelId, look);
    return { panel: 'posted', refused: null };
  } catch (error) {
    if (!(error instanceof AppError) || error.kind === 'unavailable') throw error;
    return { panel: 'refused', refused: error };
  }
}
